import { randomUUID } from 'node:crypto';
import { recordAudit, type AuditEntry, type Db } from '@hamlet/store';

export interface Acting {
  readonly actor: { readonly role: string; readonly id: string; readonly key?: { readonly keyId: string } };
  readonly requestId: string;
  readonly traceparent: string | null;
  readonly call?: { readonly runId: string; readonly callId: string };
}

/** An act: `area.verb`, its object, and details. */
export interface Act {
  readonly action: string;
  readonly object: string;
  readonly detail: unknown;
}

export function actingAs(role: 'system' | 'agent' | 'kubernetes', id: string): Acting {
  return { actor: { role, id }, requestId: randomUUID(), traceparent: null };
}

export async function recordAct(tx: Db, acting: Acting, act: Act): Promise<void> {
  await recordAudit(tx, lineOf(acting, act));
}

export function lineOf({ actor, requestId, traceparent, call }: Acting, act: Act): AuditEntry {
  const ofCall = call === undefined ? {} : { run_id: call.runId, call_id: call.callId };
  const ofKey = actor.key === undefined ? {} : { key_id: actor.key.keyId };
  const isPlain = call === undefined && actor.key === undefined;
  const detail = isPlain ? act.detail : { ...Object(act.detail), ...ofCall, ...ofKey };
  return { auditId: randomUUID(), actorRole: actor.role, actorId: actor.id, ...act, detail, requestId, traceparent };
}
