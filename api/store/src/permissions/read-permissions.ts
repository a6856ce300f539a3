import { BROKER_TOOLS, type PermissionState } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { cutPage } from '../connection/result-rows.ts';
import { COLUMNS } from '../connection/tables.generated.ts';
import type { PermissionRow } from './permissions.ts';

const EXPIRED_AT_ONCE = 200;
/** Maximum number of permissions of one run, because each needs a person. */
export const PERMISSIONS_OF_RUN_MAX = 500;

interface PermissionFilter {
  readonly permissionId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly runId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly state?: PermissionState | undefined;
  /** Restricts to runs that this person created outside of sessions, and to their sessions; null for all. */
  readonly person: { readonly role: string; readonly id: string } | null;
}

type PermissionOfSession = PermissionRow & { readonly sessionId: string | null };

const ofRun = sql<string | null>`(select session_id from run where run.run_id = permission.run_id)`;

/** True for permissions of runs that a person created, or of sessions that they are in. */
export function isOf(role: string, id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from run where run.run_id = permission.run_id and (
      (run.session_id is null and run.created_by_role = ${role} and run.created_by_id = ${id})
      or exists (select from session_person p where p.session_id = run.session_id and p.person_id = ${id})))`;
}

export async function readPermissions(
  db: Db,
  filter: PermissionFilter,
  page: { readonly before: string | null; readonly limit: number },
): Promise<{ readonly permissions: readonly PermissionOfSession[]; readonly next: string | null }> {
  const { permissionId, agentId, runId, sessionId, state, person } = filter;
  const rows = await db
    .selectFrom('permission')
    .select([...COLUMNS.permission, ofRun.as('sessionId')])
    .$if(sessionId !== undefined, (query) =>
      query.where('run_id', 'in', (of) =>
        of
          .selectFrom('run')
          .select('run_id')
          .where('session_id', '=', sessionId ?? ''),
      ),
    )
    .$if(permissionId !== undefined, (query) => query.where('permission_id', '=', permissionId ?? ''))
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId ?? ''))
    .$if(runId !== undefined, (query) => query.where('run_id', '=', runId ?? ''))
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'pending'))
    .$if(page.before !== null, (query) => query.where('permission_id', '<', page.before ?? ''))
    .$if(person !== null, (query) => query.where(isOf(person?.role ?? '', person?.id ?? '')))
    .orderBy('permission_id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { rows: permissions, next } = cutPage(rows, page.limit, ({ permissionId }) => permissionId);
  return { permissions, next };
}

export function readPermissionsOfRun(db: Db, runId: string, limit: number): Promise<readonly PermissionRow[]> {
  return db
    .selectFrom('permission')
    .select(COLUMNS.permission)
    .where('run_id', '=', runId)
    .orderBy('permission_id', 'desc')
    .limit(limit)
    .execute();
}

/** Counts the permissions that a run has requested for its calls, without those for writes that leave its pod. */
export async function countPermissions(tx: Tx, runId: string, state?: PermissionState): Promise<number> {
  const { count } = await tx
    .selectFrom('permission')
    .select((expression) => expression.fn.countAll<number>().as('count'))
    .where('run_id', '=', runId)
    .where('tool', 'not in', BROKER_TOOLS)
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'pending'))
    .executeTakeFirstOrThrow();
  return count;
}

/** The oldest question of an agent in a session that no person has answered yet; null if there is none. */
export async function findOpenQuestion(
  db: Db,
  sessionId: string,
): Promise<{ readonly permissionId: string; readonly runId: string } | null> {
  const row = await db
    .selectFrom('permission')
    .innerJoin('run', 'run.run_id', 'permission.run_id')
    .select(['permission.permission_id as permissionId', 'permission.run_id as runId'])
    .where('run.session_id', '=', sessionId)
    .where('run.state', 'in', ['queued', 'running', 'waiting_permission'])
    .where('permission.state', '=', 'pending')
    .where('permission.why', '=', 'question')
    .where('permission.expires_at', '>', sql<Date>`clock_timestamp()`)
    .orderBy('permission.permission_id')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Expired open permissions, at most 200. The caller locks each and checks again. */
export function readOverduePermissions(
  db: Db,
): Promise<readonly { readonly permissionId: string; readonly runId: string }[]> {
  return db
    .selectFrom('permission')
    .select(['permission_id as permissionId', 'run_id as runId'])
    .where('state', 'in', ['pending', 'allowed'])
    .where('expires_at', '<=', sql<Date>`clock_timestamp()`)
    .orderBy('expires_at')
    .limit(EXPIRED_AT_ONCE)
    .execute();
}

/** Micro-aiDollars that a person has allowed agents to spend since a time, without unused permissions. */
export async function readAllowedSpending(tx: Tx, answeredById: string, since: Date): Promise<bigint> {
  const { rows } = await sql<{ sum: string }>`
    select coalesce(sum(amount), 0)::text as sum from permission
    where answered_by_id = ${answeredById} and amount is not null and answered_at >= ${since} and state in ('allowed', 'consumed')
  `.execute(tx);
  return BigInt(rows[0]?.sum ?? '0');
}
