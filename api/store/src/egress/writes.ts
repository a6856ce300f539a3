import { EGRESS_TOOLS } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

const TOOLS = Object.values(EGRESS_TOOLS);
const PREFIX = 'out.';

/** The call id of a write that leaves a pod, in permissions, effects and run events. The engine never creates such an id. */
export const writeCallId = (ask: string): string => `${PREFIX}${ask}`;
/** The call id of a host that no rule opens, with the ports that one answer is about. */
export const hostCallId = (host: string, ports: readonly number[]): string => `host.${host}:${ports.join('-')}`;

/**
 * Number of permissions under some of the broker's tool names that a run has requested, and of those that wait for a person.
 * The caller has locked the run.
 */
export async function countBrokerPermissions(
  tx: Tx,
  runId: string,
  tools: readonly string[],
): Promise<{ readonly all: number; readonly pending: number }> {
  const { rows } = await sql<{ readonly all: number; readonly pending: number }>`
    select count(*)::integer as all, (count(*) filter (where state = 'pending'))::integer as pending
    from permission where run_id = ${runId} and tool = any(${[...tools]})`.execute(tx);
  return rows[0] ?? { all: 0, pending: 0 };
}

/** The ids of a run's permissions of a tool that have waited for a person for more than `seconds`, oldest first. */
export async function readLongWaits(
  tx: Tx,
  runId: string,
  { tool, seconds }: { readonly tool: string; readonly seconds: number },
): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly id: string }>`
    select permission_id as id from permission where run_id = ${runId} and tool = ${tool} and state = 'pending'
      and asked_at < clock_timestamp() - ${seconds} * interval '1 second' order by asked_at`.execute(tx);
  return rows.map(({ id }) => id);
}

/** The permissions that no longer wait for a person: answered, expired, or of an ended run. */
export async function readEndedWaits(db: Db, permissionIds: readonly string[]): Promise<readonly string[]> {
  if (permissionIds.length === 0) return [];
  const { rows } = await sql<{ readonly id: string }>`
    select permission_id as id from permission join run using (run_id)
    where permission_id = any(${[...permissionIds]}::uuid[]) and (permission.state <> 'pending' or expires_at <= clock_timestamp()
      or run.cancel_requested_at is not null or run.state not in ('running', 'waiting_permission'))`.execute(db);
  return rows.map(({ id }) => id);
}

export interface BegunEgressWrite {
  readonly runId: string;
  readonly callId: string;
  readonly ask: string;
}

/** The writes that have begun but not ended. */
export async function findBegunEgressWrites(
  db: Db,
  attemptIds: readonly string[],
): Promise<readonly BegunEgressWrite[]> {
  if (attemptIds.length === 0) return [];
  const { rows } = await sql<BegunEgressWrite>`
    select effect.run_id as "runId", effect.call_id as "callId", attempt_id as ask
    from egress_attempt join effect on effect.run_id = egress_attempt.run_id and effect.call_id = ${PREFIX} || attempt_id
    where attempt_id = any(${[...attemptIds]}::uuid[]) and effect.state = 'begun'`.execute(db);
  return rows;
}

const LATE_AT_ONCE = 200;

/** Open writes that began before this time, at most 200. The caller locks each and checks again. */
export async function readLateWrites(db: Db, olderThanS: number): Promise<readonly BegunEgressWrite[]> {
  const { rows } = await sql<BegunEgressWrite>`
    select run_id as "runId", call_id as "callId", substr(call_id, ${PREFIX.length + 1}) as ask from effect
    where state = 'begun' and tool = any(${TOOLS}) and begun_at < clock_timestamp() - ${olderThanS} * interval '1 second'
    order by begun_at limit ${LATE_AT_ONCE}`.execute(db);
  return rows;
}

/** The start of an identical write of the run whose end is unknown; null if there is none. */
export async function findUnknownWrite(tx: Tx, runId: string, sha256: string): Promise<Date | null> {
  const { rows } = await sql<{ readonly begunAt: Date }>`
    select begun_at as "begunAt" from effect join permission using (permission_id)
    where effect.run_id = ${runId} and effect.tool = any(${TOOLS}) and permission.arguments::jsonb ->> 'sha256' = ${sha256}
      and (effect.state = 'begun' or effect.outcome ->> 'code' = 'effect_unknown')
    order by begun_at desc limit 1`.execute(tx);
  return rows[0]?.begunAt ?? null;
}
