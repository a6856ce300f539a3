import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import type { PostOutcome } from './post-transfer.ts';
import { refusalOfCode } from './refusal.ts';
import { circumstanceRow } from './transfer-request.ts';
import type { TransferRequest } from './transfer-request.ts';

/** The largest batch that the ledger takes. */
export const BATCH_MAX = 10_000;

function requestRow({ payer, payee, amount, key, reason, source, note, actor, eventAt, about }: TransferRequest): unknown {
  return {
    payer, payee, amount: String(amount), idempotency_key: key, reason, source, note, actor_role: actor.role, actor_id: actor.id,
    event_at: eventAt?.toISOString() ?? null, ...circumstanceRow(about),
  };
}

interface ResultRow {
  readonly transferId: string | null;
  readonly replayed: boolean;
  readonly refusal: string | null;
}

function outcomeOf({ transferId, replayed, refusal }: ResultRow): PostOutcome {
  if (transferId !== null) return { ok: true, transferId, replayed };
  const reason = refusalOfCode(refusal ?? '');
  if (reason === null) throw new Error(`the ledger refused an item with ${refusal}`);
  return { ok: false, reason };
}

/**
 * Posts many transfers as if one after the other, with an outcome for each; what is refused hinders no other. Throws where there are more than
 * BATCH_MAX, and 40001 (begin the transaction again) where a key of it is being posted between other accounts at this very moment.
 */
export async function postBatch(tx: Tx, requests: readonly TransferRequest[]): Promise<readonly PostOutcome[]> {
  const { rows } = await sql<ResultRow>`
    select transfer_id as "transferId", replayed, refusal from ledger.post_batch(${JSON.stringify(requests.map(requestRow))}::jsonb) order by item`.execute(tx);
  return rows.map(outcomeOf);
}
