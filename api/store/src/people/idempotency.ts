import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** The answer to a keyed write: `hash` is of the request, so that another body under the same key is noticed. */
export interface KeptAnswer {
  readonly actor: string;
  readonly key: string;
  readonly hash: Uint8Array;
  readonly status: number;
  readonly answer: unknown;
}

const KEPT_HOURS = 24;

/** The answer that was given under a key; null where there is none. */
export async function findAnswer(db: Db, actor: string, key: string): Promise<KeptAnswer | null> {
  const row = await db
    .selectFrom('idempotency_key')
    .selectAll()
    .where('actor', '=', actor)
    .where('key', '=', key)
    .executeTakeFirst();
  return row === undefined ? null : { actor, key, hash: row.request_hash, status: row.status, answer: row.answer };
}

/** Keeps answers in the transaction of their effects. */
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

/** The answers of the last seconds, for a new writer that must know what the one before it answered. */
export async function recentAnswers(db: Db, seconds: number): Promise<readonly KeptAnswer[]> {
  const rows = await db
    .selectFrom('idempotency_key')
    .selectAll()
    .where('created_at', '>', sql<Date>`now() - ${seconds} * interval '1 second'`)
    .execute();
  return rows.map((row) => ({
    actor: row.actor,
    key: row.key,
    hash: row.request_hash,
    status: row.status,
    answer: row.answer,
  }));
}

interface ClaimRow {
  readonly claimed: boolean;
  readonly hash: Uint8Array | null;
  readonly status: number | null;
  readonly answer: unknown;
}

/** Claims a key until the end of the transaction, with the answer that is kept under it. Null where another request holds the key right now. */
export async function claimKey(
  tx: Tx,
  actor: string,
  key: string,
): Promise<{ readonly kept: KeptAnswer | null } | null> {
  const { rows } =
    await sql<ClaimRow>`select claimed, request_hash as hash, status, answer from claim_key(${actor}, ${key})`.execute(
      tx,
    );
  const [row] = rows;
  if (row?.claimed !== true) return null;
  const { hash, status, answer } = row;
  return { kept: hash === null || status === null ? null : { actor, key, hash, status, answer } };
}

/** Forgets answers older than 24 hours. */
export async function forgetOldAnswers(db: Db): Promise<void> {
  await db
    .deleteFrom('idempotency_key')
    .where('created_at', '<', sql<Date>`now() - ${KEPT_HOURS} * interval '1 hour'`)
    .execute();
}
