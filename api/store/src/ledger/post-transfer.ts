import { type RawBuilder, sql } from 'kysely';
import { inSavepoint, type Tx } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';
import { type LedgerRefusal, refusalOfException } from './refusal.ts';
import { type Circumstance, circumstanceJson, type LedgerActor, type TransferRequest } from './transfer-request.ts';

/** The transfer is posted: by this call, or (`replayed`) by an earlier call with the same key. */
export interface Posted {
  readonly ok: true;
  readonly transferId: string;
  readonly replayed: boolean;
}

export type PostOutcome = Posted | Refused<LedgerRefusal>;

function callLedger<Row>(
  tx: Tx,
  call: RawBuilder<Row>,
): Promise<({ readonly ok: true } & Row) | Refused<LedgerRefusal>> {
  return attempt(tx, async () => {
    const { rows } = await call.execute(tx);
    return { ok: true as const, ...firstRow(rows, 'the ledger returned no row') };
  });
}

export async function postTransfer(tx: Tx, request: TransferRequest): Promise<PostOutcome> {
  const { payer, payee, amount, key, reason, source, note, actor, eventAt, about } = request;
  return callLedger(
    tx,
    sql<Omit<Posted, 'ok'>>`
      select transfer_id as "transferId", replayed from ledger.post(${payer}, ${payee}, ${String(amount)}, ${key}, ${reason}, ${source}, ${note},
        ${actor.role}, ${actor.id}, ${eventAt ?? null}, ${circumstanceJson(about)})`,
  );
}

interface ReversalRequest extends Pick<TransferRequest, 'key' | 'reason' | 'source' | 'note' | 'actor'> {
  readonly transferId: string;
  /** True reverses even spent money, which makes the payee's balance negative. */
  readonly forced: boolean;
  readonly about?: Circumstance;
}

/** A transfer is reversed at most once, and a reversal cannot be reversed. */
export async function reverseTransfer(tx: Tx, request: ReversalRequest): Promise<PostOutcome> {
  const { transferId, key, reason, source, note, actor, forced, about } = request;
  return callLedger(
    tx,
    sql<Omit<Posted, 'ok'>>`
      select transfer_id as "transferId", replayed from ledger.reverse(${transferId}, ${key}, ${reason}, ${source}, ${note},
        ${actor.role}, ${actor.id}, ${forced}, ${circumstanceJson(about)})`,
  );
}

interface HoldRequest extends Omit<TransferRequest, 'eventAt'> {
  readonly expiresAt: Date;
}

type HoldOutcome = { readonly ok: true; readonly holdId: string; readonly replayed: boolean } | Refused<LedgerRefusal>;

/** Holds money: it stays in the balance but is not available. */
export async function holdMoney(tx: Tx, request: HoldRequest): Promise<HoldOutcome> {
  const { payer, payee, amount, key, reason, source, note, actor, expiresAt, about } = request;
  return callLedger(
    tx,
    sql<{ holdId: string; replayed: boolean }>`
      select hold_id as "holdId", replayed from ledger.hold(${payer}, ${payee}, ${String(amount)}, ${key}, ${reason}, ${source}, ${note},
        ${actor.role}, ${actor.id}, ${expiresAt}, ${circumstanceJson(about)})`,
  );
}

/** The end of a hold. For `posted`, `amount` is the used part; the rest becomes available again. */
export interface ResolutionRequest {
  readonly holdId: string;
  readonly outcome: 'posted' | 'voided' | 'expired';
  readonly amount?: bigint;
  readonly key: string;
  readonly actor: LedgerActor;
  readonly about?: Circumstance;
}

type ResolutionOutcome =
  | { readonly ok: true; readonly transferId: string | null; readonly replayed: boolean }
  | Refused<LedgerRefusal>;

/** Ends a hold. The first call ends it; later ones are refused with hold_resolved. */
export async function resolveHold(tx: Tx, request: ResolutionRequest): Promise<ResolutionOutcome> {
  const { holdId, outcome, amount, key, actor, about } = request;
  return callLedger(
    tx,
    sql<{ transferId: string | null; replayed: boolean }>`
      select transfer_id as "transferId", replayed from ledger.resolve_hold(${holdId}, ${outcome}, ${amount === undefined ? null : String(amount)}, ${key},
        ${actor.role}, ${actor.id}, ${circumstanceJson(about)})`,
  );
}

/** The outcome of a refused part of a transaction, whose writes were undone. */
export interface Refused<R> {
  readonly ok: false;
  readonly reason: R;
}

/** Runs a part of a transaction. A refusal, returned by `work` or raised by the ledger, undoes the part's writes. */
export async function attempt<T extends { readonly ok: boolean }>(
  tx: Tx,
  work: () => Promise<T>,
): Promise<T | Refused<LedgerRefusal>> {
  return inSavepoint<T | Refused<LedgerRefusal>>(tx, async () => {
    try {
      return await work();
    } catch (error) {
      const reason = refusalOfException(error);
      if (reason === null) throw error;
      return { ok: false, reason };
    }
  });
}
