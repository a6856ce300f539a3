import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** The stored answer to a keyed write. `hash` detects another request under the same key. */
export interface KeptAnswer {
  readonly actor: string;
  readonly key: string;
  readonly hash: Uint8Array;
  readonly status: number;
  readonly answer: unknown;
}

const KEPT_HOURS = 24;

const COLUMNS = ['actor', 'key', 'request_hash as hash', 'status', 'answer'] as const;

export async function findAnswer(db: Db, actor: string, key: string): Promise<KeptAnswer | null> {
  const row = await db
    .selectFrom('idempotency_key')
    .select(COLUMNS)
    .where('actor', '=', actor)
    .where('key', '=', key)
    .executeTakeFirst();
  return row ?? null;
}

export async function keepAnswers(tx: Tx, answers: readonly KeptAnswer[]): Promise<void> {
  if (answers.length === 0) return;
  await tx
    .insertInto('idempotency_key')
    .values(
      answers.map(({ actor, key, hash, status, answer }) => ({
        actor,
        key,
        request_hash: Buffer.from(hash),
        status,
        answer: JSON.stringify(answer),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The answers of the last `seconds`, for a new writer that replaces another one. */
export async function recentAnswers(db: Db, seconds: number): Promise<readonly KeptAnswer[]> {
  return db
    .selectFrom('idempotency_key')
    .select(COLUMNS)
    .where('created_at', '>', sql<Date>`now() - ${seconds} * interval '1 second'`)
    .execute();
}

interface ClaimRow {
  readonly claimed: boolean;
  readonly hash: Uint8Array | null;
  readonly status: number | null;
  readonly answer: unknown;
}

/** Locks a key and reads its answer; null while another request has locked the key. */
export async function claimKey(
  tx: Tx,
  actor: string,
  key: string,
): Promise<{ readonly kept: KeptAnswer | null } | null> {
  const { rows } = await sql<ClaimRow>`
    select claimed, request_hash as hash, status, answer from claim_key(${actor}, ${key})`.execute(tx);
  const [row] = rows;
  if (row?.claimed !== true) return null;
  const { hash, status, answer } = row;
  return { kept: hash === null || status === null ? null : { actor, key, hash, status, answer } };
}

export async function forgetOldAnswers(db: Db): Promise<void> {
  await db
    .deleteFrom('idempotency_key')
    .where('created_at', '<', sql<Date>`now() - ${KEPT_HOURS} * interval '1 hour'`)
    .execute();
}
