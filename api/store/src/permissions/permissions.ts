import { REACH_HOST, type PermissionAnswer, type PermissionState } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import { asColumns } from '../connection/as-columns.ts';
import type { Db, Tx } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';

export type PermissionRow = Row<'permission'>;

const now = sql<Date>`clock_timestamp()`;
/** True for a permission that has expired by the database's clock, even before a job marks it. */
const over = sql<boolean>`expires_at <= clock_timestamp()`;

/**
 * A new permission. `amount`: maximum micro-aiDollars that the call may spend. `taint`: marks of the run; null if none. `opens`: the
 * closed hosts that an admin opens by allowing the call.
 */
export interface NewPermission extends Pick<
  PermissionRow,
  | 'runId'
  | 'agentId'
  | 'request'
  | 'callId'
  | 'tool'
  | 'arguments'
  | 'why'
  | 'reason'
  | 'question'
  | 'policyVersion'
  | 'taint'
  | 'opens'
> {
  readonly argumentsHash: Uint8Array;
  readonly amount: bigint | null;
  readonly lastsS: number;
}

/** Inserts a pending permission. The caller has locked the run. */
export async function insertPermission(
  tx: Tx,
  { amount, taint, lastsS, ...made }: NewPermission,
): Promise<PermissionRow> {
  return tx
    .insertInto('permission')
    .values({
      ...asColumns(made),
      opens: [...made.opens],
      amount: amount === null ? null : String(amount),
      taint: taint === null ? null : JSON.stringify(taint),
      expires_at: sql<Date>`clock_timestamp() + ${lastsS} * interval '1 second'`,
    })
    .returning(COLUMNS.permission)
    .executeTakeFirstOrThrow();
}

export async function findPermission(db: Db, permissionId: string): Promise<PermissionRow | null> {
  const row = await db
    .selectFrom('permission')
    .select(COLUMNS.permission)
    .where('permission_id', '=', permissionId)
    .executeTakeFirst();
  return row ?? null;
}

export async function findRequest(tx: Tx, runId: string, request: string): Promise<PermissionRow | null> {
  const row = await tx
    .selectFrom('permission')
    .select(COLUMNS.permission)
    .where('run_id', '=', runId)
    .where('request', '=', request)
    .executeTakeFirst();
  return row ?? null;
}

/** A locked permission. `isOver`: it has expired. */
export type HeldPermission = PermissionRow & { readonly isOver: boolean };

/** Locks a permission. The caller has locked its run. */
export async function lockPermission(tx: Tx, permissionId: string): Promise<HeldPermission | null> {
  return lockNewest(tx, sql`permission_id = ${permissionId}`);
}

async function lockNewest(tx: Tx, which: RawBuilder<unknown>): Promise<HeldPermission | null> {
  const row = await tx
    .selectFrom('permission')
    .select([...COLUMNS.permission, over.as('isOver')])
    .where(sql<boolean>`${which}`)
    .orderBy('permission_id', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Locks the newest permission that allows a call; null if there is none. The caller has locked the run. */
export async function lockPermissionOfCall(tx: Tx, runId: string, callId: string): Promise<HeldPermission | null> {
  return lockNewest(tx, sql`run_id = ${runId} and call_id = ${callId} and why <> 'unknown'`);
}

/** Locks the newest request of a run to open a host; null if there is none. The caller has locked the run. */
export async function lockHostPermission(tx: Tx, runId: string, callId: string): Promise<HeldPermission | null> {
  return lockNewest(tx, sql`run_id = ${runId} and call_id = ${callId} and tool = ${REACH_HOST}`);
}

/**
 * Locks the newest request to open a host that also asks about all of these hosts (host:port); null unless it waits for a person. The
 * caller has locked the run.
 */
export async function lockRequestThatNames(
  tx: Tx,
  runId: string,
  hosts: readonly string[],
): Promise<HeldPermission | null> {
  const request = await lockNewest(
    tx,
    sql`run_id = ${runId} and opens @> ${[...hosts]}::text[] and tool = ${REACH_HOST} and state = 'pending'`,
  );
  return request?.isOver === false ? request : null;
}

/**
 * Locks the newest request of a run, about a call or a host, that an admin allowed and that said that this opens all of these hosts
 * (host:port); null if there is none. Only an admin's own answer counts: requests that a rule allowed are left out. The caller has
 * locked the run.
 */
export async function lockRequestThatOpened(
  tx: Tx,
  runId: string,
  hosts: readonly string[],
): Promise<HeldPermission | null> {
  return lockNewest(
    tx,
    sql`run_id = ${runId} and opens @> ${[...hosts]}::text[] and (state = 'consumed' or (state = 'allowed' and tool = ${REACH_HOST})) and answer = 'allow' and answered_by_role = 'admin' and rule_id is null`,
  );
}

/**
 * Locks the newest question about a call with an unknown outcome, if a person answered `repeat` and the call has not
 * used the answer; else null. The caller has locked the run.
 */
export async function lockRepeatOfCall(tx: Tx, runId: string, callId: string): Promise<HeldPermission | null> {
  const row = await lockNewest(tx, sql`run_id = ${runId} and call_id = ${callId} and why = 'unknown'`);
  return row?.state === 'allowed' && row.answer === 'repeat' ? row : null;
}

export interface AnswerGiven {
  readonly answer: PermissionAnswer;
  readonly by: { readonly role: string; readonly id: string; readonly name: string };
  readonly reply: string | null;
  readonly ruleId?: string;
  /** Seconds in which the agent may use an allowed permission. */
  readonly usableS: number;
}

export async function answerPermission(tx: Tx, permissionId: string, given: AnswerGiven): Promise<PermissionRow> {
  const allowed = given.answer !== 'deny';
  return tx
    .updateTable('permission')
    .set({
      state: allowed ? 'allowed' : 'denied',
      answer: given.answer,
      answered_at: now,
      answered_by_role: given.by.role,
      answered_by_id: given.by.id,
      answered_by_name: given.by.name,
      reply: given.reply,
      ...(given.ruleId === undefined ? {} : { rule_id: given.ruleId }),
      ...(allowed
        ? {
            expires_at: sql<Date>`greatest(expires_at, clock_timestamp() + ${given.usableS} * interval '1 second')`,
          }
        : {}),
    })
    .where('permission_id', '=', permissionId)
    .where('state', '=', 'pending')
    .returning(COLUMNS.permission)
    .executeTakeFirstOrThrow();
}

/** Ends a locked permission without an answer, or consumes an allowed one. */
export async function endPermission(
  tx: Tx,
  permissionId: string,
  state: Extract<PermissionState, 'expired' | 'consumed' | 'withdrawn'>,
): Promise<PermissionRow> {
  return tx
    .updateTable('permission')
    .set({ state })
    .where('permission_id', '=', permissionId)
    .returning(COLUMNS.permission)
    .executeTakeFirstOrThrow();
}

/** Withdraws the open requests of the calls inside a call, whose ids begin with its own. The caller has locked the run. */
export function withdrawInside(tx: Tx, runId: string, callId: string): Promise<readonly PermissionRow[]> {
  return tx
    .updateTable('permission')
    .set({ state: 'withdrawn' })
    .where('run_id', '=', runId)
    .where('state', '=', 'pending')
    .where('why', '=', 'policy')
    .where(sql<boolean>`starts_with(call_id, ${`${callId}.`})`)
    .returning(COLUMNS.permission)
    .execute();
}
