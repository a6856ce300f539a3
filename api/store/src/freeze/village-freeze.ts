import { type RawBuilder, sql } from 'kysely';
import { type Db, inSavepoint, sqlState, type Tx } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';
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
const LOCK_NOT_AVAILABLE = '55P03';
/** Longest wait in ms for transactions that write a gated table; then the freeze ends their connections. */
const WAIT_MS = 3_000;
const ATTEMPTS_MAX = 3;

export function isVillageFrozenError(error: unknown): boolean {
  return sqlState(error) === FROZEN;
}

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

/** Ends connections that write a gated table, because a connection of an unreachable replica would block the freeze. */
async function endWriters(tx: Tx): Promise<void> {
  await sql`
    select pg_terminate_backend(writer.pid) from pg_stat_activity writer
    where writer.usename = current_user and writer.pid <> pg_backend_pid() and writer.datname = current_database() and exists (
      select 1 from pg_locks l where l.pid = writer.pid and l.granted and l.mode = 'RowExclusiveLock'
        and l.relation in ('ledger.account'::regclass, 'model_request'::regclass, 'run'::regclass))`.execute(tx);
}

type Changed = { readonly ok: true; readonly changed: boolean } | { readonly ok: false; readonly error: unknown };

/** Throws 55P03 (lock not available) if transactions of other database users still block the last attempt. */
async function changeGates(tx: Tx, change: RawBuilder<unknown>): Promise<boolean> {
  await sql`select set_config('lock_timeout', ${`${WAIT_MS}ms`}, true)`.execute(tx);
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await inSavepoint<Changed>(tx, async () => {
      try {
        const { rows } = await sql<{ done: boolean }>`select ${change} as done`.execute(tx);
        return { ok: true, changed: rows[0]?.done === true };
      } catch (error) {
        return { ok: false, error };
      }
    });
    if (outcome.ok) return outcome.changed;
    if (sqlState(outcome.error) !== LOCK_NOT_AVAILABLE || attempt === ATTEMPTS_MAX) throw outcome.error;
    await endWriters(tx);
  }
}

/** Freezes the village: after the commit, no money moves, no request or run starts. False if it is frozen already. */
export function freezeVillage(tx: Tx, { reason, actor }: FreezeAct): Promise<boolean> {
  return changeGates(tx, sql`freeze_village(${reason}, ${actor.role}, ${actor.id})`);
}

export function liftVillageFreeze(tx: Tx, { reason, actor }: FreezeAct): Promise<boolean> {
  return changeGates(tx, sql`lift_village_freeze(${reason}, ${actor.role}, ${actor.id})`);
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

/** Deletes and returns the oldest record, for the caller to post; null if there is none or another replica took it. */
export async function takeUnpostedUsage(tx: Tx): Promise<UnpostedUsage | null> {
  const { rows } = await sql<Omit<UnpostedUsage, 'amount'> & { readonly amount: string }>`
    delete from unposted_usage where hold_id = (select hold_id from unposted_usage order by used_at limit 1)
    returning hold_id as "holdId", agent_id as "agentId", amount::text as amount, key, jsonb_build_object('podUid', about -> 'pod_uid', 'runId', about -> 'run_id',
      'imageDigest', about -> 'image_digest', 'traceparent', about -> 'traceparent', 'relatedPostId', about -> 'related_post_id') as about
  `.execute(tx);
  const [row] = rows;
  return row === undefined ? null : { ...row, amount: BigInt(row.amount) };
}
