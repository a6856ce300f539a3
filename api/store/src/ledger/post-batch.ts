import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import type { PostOutcome } from './post-transfer.ts';
import { refusalOfCode } from './refusal.ts';
import { circumstanceJson, type TransferRequest } from './transfer-request.ts';

export const BATCH_MAX = 10_000;

interface ResultRow {
  readonly transferId: string | null;
  readonly replayed: boolean;
  readonly refusal: string | null;
}

function outcomeOf({ transferId, replayed, refusal }: ResultRow): PostOutcome {
  if (transferId !== null) return { ok: true, transferId, replayed };
  const reason = refusalOfCode(refusal ?? '');
  if (reason === null) throw new Error(`the ledger refused an item with the unknown code ${refusal}`);
  return { ok: false, reason };
}

function columnOf<T>(
  requests: readonly TransferRequest[],
  cell: (request: TransferRequest) => T | null,
): readonly (T | null)[] | null {
  const cells = requests.map(cell);
  return cells.every((value) => value === null) ? null : cells;
}

/** Posts transfers in order, at most BATCH_MAX. Throws 40001 on a race for a key: retry the whole transaction. */
export async function postBatch(tx: Tx, requests: readonly TransferRequest[]): Promise<readonly PostOutcome[]> {
  const all = <T>(cell: (request: TransferRequest) => T): readonly T[] => requests.map(cell);
  const { rows } = await sql<ResultRow>`
    select transfer_id as "transferId", replayed, refusal from ledger.post_batch(
      ${all(({ payer }) => payer)}::bigint[], ${all(({ payee }) => payee)}::bigint[], ${all(({ amount }) => String(amount))}::bigint[], ${all(({ key }) => key)}::text[],
      ${all(({ reason }) => reason)}::ledger.reason[], ${all(({ source }) => source)}::text[], ${all(({ note }) => note)}::text[],
      ${all(({ actor }) => actor.role)}::text[], ${all(({ actor }) => actor.id)}::text[],
      ${columnOf(requests, ({ eventAt }) => eventAt?.toISOString() ?? null)}::timestamptz[], ${columnOf(requests, ({ about }) => circumstanceJson(about))}::jsonb[]
    ) order by item`.execute(tx);
  return rows.map(outcomeOf);
}
