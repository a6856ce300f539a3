import { setInterval } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { type Db, sqlState, type Tx } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';
import { endFreezeParks } from '../runs/parks.ts';
import { type Circumstance, circumstanceJson } from '../ledger/transfer-request.ts';

export interface ActiveFreeze {
  readonly reason: string;
  readonly byRole: string;
  readonly byId: string;
  readonly since: Date;
}

/** Times of the last activities that a freeze stops; null if there was none. */
export interface LastActivity {
  readonly transferAt: Date | null;
  readonly modelRequestAt: Date | null;
  readonly runStartedAt: Date | null;
}

export interface FreezeAct {
  readonly reason: string | null;
  readonly actor: { readonly role: string; readonly id: string };
}

const FROZEN = 'VF001';
/** The tables that a freeze closes, in the order of locks (`runs/lock-order.ts`). */
const GATES = ['run', 'ledger.account', 'model_request'] as const;
/** Longest wait for a transaction that writes a gated table; then the freeze ends its connection. */
const WAIT_MS = 200;
const LOOK_EVERY_MS = 50;

export const isVillageFrozenError = (error: unknown): boolean => sqlState(error) === FROZEN;

export async function readFreeze(db: Db): Promise<ActiveFreeze | null> {
  const row = await db
    .selectFrom('village_freeze')
    .select(['reason', 'by_role as byRole', 'by_id as byId', 'since'])
    .where('lifted_at', 'is', null)
    .executeTakeFirst();
  return row ?? null;
}

/** Reads the times of the last activities that a freeze would stop, from the ends of three indexes. */
export async function readLastActivity(db: Db): Promise<LastActivity> {
  const { rows } = await sql<LastActivity>`
    select (select created_at from ledger.transfer order by transfer_id desc limit 1) as "transferAt",
      (select started_at from model_request order by started_at desc limit 1) as "modelRequestAt",
      (select started_at from run where started_at is not null order by started_at desc limit 1) as "runStartedAt"
  `.execute(db);
  return firstRow(rows, 'the database returned no times of the last activity');
}

/**
 * Runs `work` in a transaction and meanwhile ends the connections that block it, so that it keeps its place in the lock queue: a
 * writer on an unreachable replica would prevent a freeze.
 * @param db gives a second connection, which ends the blocking ones
 */
export async function unhindered<T>(tx: Tx, db: Db, work: () => Promise<T>): Promise<T> {
  const { rows } = await sql<{ readonly pid: number }>`select pg_backend_pid() as pid`.execute(tx);
  const { pid } = firstRow(rows, 'the database returned no id of its process');
  return db.connection().execute(async (spare) => {
    const over = new AbortController();
    const guarding = (async () => {
      for await (const _tick of setInterval(LOOK_EVERY_MS, null, { signal: over.signal }))
        await sql`select end_blockers(${pid}, ${WAIT_MS}), end_blockers_of_owner(${pid}, ${WAIT_MS})`.execute(spare);
    })().catch(() => undefined);
    try {
      return await work();
    } finally {
      over.abort();
      await guarding;
    }
  });
}

/** Locks the gates one after the other, in the order in which transactions write the tables, and changes them. */
async function changeGates(tx: Tx, change: RawBuilder<unknown>): Promise<boolean> {
  for (const gate of GATES) await sql`select lock_gate(${gate})`.execute(tx);
  const { rows } = await sql<{ readonly done: boolean }>`select ${change} as done`.execute(tx);
  return rows[0]?.done === true;
}

/**
 * Freezes the village: after the commit, no money moves, no request or run starts. False if it is frozen already. Call it
 * `unhindered`, because it waits for all writers.
 */
export function freezeVillage(tx: Tx, { reason, actor }: FreezeAct): Promise<boolean> {
  return changeGates(tx, sql`freeze_village(${reason}, ${actor.role}, ${actor.id})`);
}

/** Lifts the freeze; the runs that wait for its end may start at once. False if the village is not frozen. */
export async function liftVillageFreeze(tx: Tx, { reason, actor }: FreezeAct): Promise<boolean> {
  const isLifted = await changeGates(tx, sql`lift_village_freeze(${reason}, ${actor.role}, ${actor.id})`);
  if (isLifted) await endFreezeParks(tx);
  return isLifted;
}

/** Usage of a hold whose work ended during a freeze; the API posts it after the freeze. */
export interface UnpostedUsage {
  readonly holdId: string;
  readonly agentId: string;
  /** Micro-aiDollars; 0 if nothing was used: the hold must then be voided. */
  readonly amount: bigint;
  /** The idempotency key of the resolution. */
  readonly key: string;
  readonly about: Circumstance;
}

/** Records the usage of a hold; ignores a later record for the same hold. */
export async function noteUnpostedUsage(db: Db, { holdId, agentId, amount, key, about }: UnpostedUsage): Promise<void> {
  await db
    .insertInto('unposted_usage')
    .values({ hold_id: holdId, agent_id: agentId, amount: String(amount), key, about: circumstanceJson(about) ?? '{}' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The holds with unposted usage, the oldest first. */
export async function readUnpostedHolds(db: Db, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('unposted_usage')
    .select('hold_id as holdId')
    .orderBy('used_at')
    .orderBy('hold_id')
    .limit(limit)
    .execute();
  return rows.map(({ holdId }) => holdId);
}

/** Deletes and returns the record of a hold, for the caller to post; null if another replica took it. */
export async function takeUnpostedUsage(tx: Tx, heldBy: string): Promise<UnpostedUsage | null> {
  const { rows } = await sql<Omit<UnpostedUsage, 'amount'> & { readonly amount: string }>`
    delete from unposted_usage where hold_id = ${heldBy}
    returning hold_id as "holdId", agent_id as "agentId", amount::text as amount, key, jsonb_build_object('podUid', about -> 'pod_uid', 'runId', about -> 'run_id',
      'imageDigest', about -> 'image_digest', 'traceparent', about -> 'traceparent', 'relatedPostId', about -> 'related_post_id') as about
  `.execute(tx);
  const [row] = rows;
  return row === undefined ? null : { ...row, amount: BigInt(row.amount) };
}
