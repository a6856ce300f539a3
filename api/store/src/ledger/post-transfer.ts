import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { attempt } from './attempt.ts';
import type { Refused } from './attempt.ts';
import type { LedgerRefusal } from './refusal.ts';
import { circumstanceJson } from './transfer-request.ts';
import type { Circumstance, LedgerActor, TransferRequest } from './transfer-request.ts';

/** Money has moved: now, or before under the same key. */
export interface Posted {
  readonly ok: true;
  readonly transferId: string;
  readonly replayed: boolean;
}

export type PostOutcome = Posted | Refused<LedgerRefusal>;

interface PostedRow {
  readonly transferId: string;
  readonly replayed: boolean;
}

function posted(rows: readonly PostedRow[]): Posted {
  const [row] = rows;
  if (row === undefined) throw new Error('the ledger answered nothing');
  return { ok: true, ...row };
}

/** Posts one transfer in the caller's transaction; a refusal leaves no trace in it. */
export async function postTransfer(tx: Tx, request: TransferRequest): Promise<PostOutcome> {
  const { payer, payee, amount, key, reason, source, note, actor, eventAt, about } = request;
  return attempt(tx, async () => {
    const { rows } = await sql<PostedRow>`
      select transfer_id as "transferId", replayed from ledger.post(${payer}, ${payee}, ${String(amount)}, ${key}, ${reason}, ${source}, ${note},
        ${actor.role}, ${actor.id}, ${eventAt ?? null}, ${circumstanceJson(about)})`.execute(tx);
    return posted(rows);
  });
}

/** Undoes a transfer by its mirror. */
export interface ReversalRequest extends Pick<TransferRequest, 'key' | 'reason' | 'source' | 'note' | 'actor'> {
  readonly transferId: string;
  /** Even where the payee has spent the money: its balance is below zero then. */
  readonly forced: boolean;
  readonly about?: Circumstance;
}

/** Moves a transfer's money back; a transfer is reversed at most once, and a reversal never. */
export async function reverseTransfer(tx: Tx, request: ReversalRequest): Promise<PostOutcome> {
  const { transferId, key, reason, source, note, actor, forced, about } = request;
  return attempt(tx, async () => {
    const { rows } = await sql<PostedRow>`
      select transfer_id as "transferId", replayed from ledger.reverse(${transferId}, ${key}, ${reason}, ${source}, ${note},
        ${actor.role}, ${actor.id}, ${forced}, ${circumstanceJson(about)})`.execute(tx);
    return posted(rows);
  });
}

/** Money to set aside until it is posted, voided or has expired. */
export interface HoldRequest extends Omit<TransferRequest, 'eventAt'> {
  readonly expiresAt: Date;
}

export type HoldOutcome =
  | { readonly ok: true; readonly holdId: string; readonly replayed: boolean }
  | Refused<LedgerRefusal>;

/** Sets money aside. It stays in the balance and is no longer available. */
export async function holdMoney(tx: Tx, request: HoldRequest): Promise<HoldOutcome> {
  const { payer, payee, amount, key, reason, source, note, actor, expiresAt, about } = request;
  return attempt(tx, async (): Promise<HoldOutcome> => {
    const { rows } = await sql<{ holdId: string; replayed: boolean }>`
      select hold_id as "holdId", replayed from ledger.hold(${payer}, ${payee}, ${String(amount)}, ${key}, ${reason}, ${source}, ${note},
        ${actor.role}, ${actor.id}, ${expiresAt}, ${circumstanceJson(about)})`.execute(tx);
    const [row] = rows;
    if (row === undefined) throw new Error('the ledger answered nothing');
    return { ok: true, ...row };
  });
}

/** How a hold ends. `amount` of a posting is what was used; the rest is free again. */
export interface ResolutionRequest {
  readonly holdId: string;
  readonly outcome: 'posted' | 'voided' | 'expired';
  readonly amount?: bigint;
  readonly key: string;
  readonly actor: LedgerActor;
  readonly about?: Circumstance;
}

export type ResolutionOutcome =
  | { readonly ok: true; readonly transferId: string | null; readonly replayed: boolean }
  | Refused<LedgerRefusal>;

/** Ends a hold; the first to come ends it, and anybody else is refused with hold_resolved. */
export async function resolveHold(tx: Tx, request: ResolutionRequest): Promise<ResolutionOutcome> {
  const { holdId, outcome, amount, key, actor, about } = request;
  return attempt(tx, async (): Promise<ResolutionOutcome> => {
    const { rows } = await sql<{ transferId: string | null; replayed: boolean }>`
      select transfer_id as "transferId", replayed from ledger.resolve_hold(${holdId}, ${outcome}, ${amount === undefined ? null : String(amount)}, ${key},
        ${actor.role}, ${actor.id}, ${circumstanceJson(about)})`.execute(tx);
    const [row] = rows;
    if (row === undefined) throw new Error('the ledger answered nothing');
    return { ok: true, ...row };
  });
}
