import { sql } from 'kysely';
import { circumstanceJson } from '../ledger/transfer-request.ts';
import type { Circumstance } from '../ledger/transfer-request.ts';
import type { Db, Tx } from '../connection/database.ts';

/** What was used of a hold while no money could move. */
export interface UnpostedUsage {
  readonly holdId: string;
  readonly agentId: string;
  /** Micro-aiDollars; 0 where nothing was used and the hold is to be voided. */
  readonly amount: bigint;
  /** The idempotency key of the resolution. */
  readonly key: string;
  readonly about: Circumstance;
}

/** Notes what was used of a hold. The first note counts. */
export async function noteUnpostedUsage(db: Db, { holdId, agentId, amount, key, about }: UnpostedUsage): Promise<void> {
  await db
    .insertInto('unposted_usage')
    .values({ hold_id: holdId, agent_id: agentId, amount: String(amount), key, about: circumstanceJson(about) ?? '{}' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Takes one note for the caller's transaction, which posts it; null where there is none, or another replica took it first. */
export async function takeUnpostedUsage(tx: Tx): Promise<UnpostedUsage | null> {
  const { rows } = await sql<Omit<UnpostedUsage, 'amount'> & { readonly amount: string }>`
    delete from unposted_usage where hold_id = (select hold_id from unposted_usage order by used_at limit 1)
    returning hold_id as "holdId", agent_id as "agentId", amount::text as amount, key, jsonb_build_object('podUid', about -> 'pod_uid', 'runId', about -> 'run_id',
      'imageDigest', about -> 'image_digest', 'traceparent', about -> 'traceparent', 'relatedPostId', about -> 'related_post_id') as about`.execute(
    tx,
  );
  const [row] = rows;
  return row === undefined ? null : { ...row, amount: BigInt(row.amount) };
}
