import type { EntryReason } from '@hamlet/contract';

export interface LedgerActor {
  readonly role: string;
  readonly id: string;
}

/** Circumstance of a transfer: its post, and the pod, run, image and trace that requested it. */
export interface Circumstance {
  readonly relatedPostId?: string | null;
  readonly podUid?: string | null;
  readonly runId?: string | null;
  readonly imageDigest?: string | null;
  readonly traceparent?: string | null;
}

export interface TransferRequest {
  readonly payer: number;
  readonly payee: number;
  /** Micro-aiDollars, above zero. */
  readonly amount: bigint;
  /** Idempotency key: a repeated request posts once; the ledger refuses a different request with the same key. */
  readonly key: string;
  readonly reason: EntryReason;
  readonly source: string;
  readonly note: string;
  readonly actor: LedgerActor;
  readonly eventAt?: Date;
  readonly about?: Circumstance;
}

function circumstanceRow(about: Circumstance | undefined): Readonly<Record<string, string>> {
  const { relatedPostId, podUid, runId, imageDigest, traceparent } = about ?? {};
  const row = {
    related_post_id: relatedPostId,
    pod_uid: podUid,
    run_id: runId,
    image_digest: imageDigest,
    traceparent,
  };
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]])),
  );
}

/** The circumstance as JSON for the ledger; null if it is empty. */
export function circumstanceJson(about: Circumstance | undefined): string | null {
  const row = circumstanceRow(about);
  return Object.keys(row).length === 0 ? null : JSON.stringify(row);
}
