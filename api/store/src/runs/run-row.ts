import type { RunState, TaintSource } from '@hamlet/contract';
import { type RawBuilder, type Selection, sql } from 'kysely';
import type { Tables } from '../connection/tables.ts';

/** A mark of a run, as JSON of the database has it. */
export interface TaintRow {
  readonly source: TaintSource;
  readonly detail: string;
  readonly callId: string | null;
  readonly fromRunId: string | null;
  readonly at: string;
}

/** The marks of the run of a query, the first one first; null if it has none. */
export const TAINT_OF_RUN: RawBuilder<readonly TaintRow[] | null> = sql`(
  select jsonb_agg(jsonb_build_object('source', source, 'detail', detail, 'callId', call_id, 'fromRunId', from_run_id, 'at', at) order by at, source)
  from run_taint where run_taint.run_id = run.run_id)`;

export const RUN_COLUMNS = [
  'run_id as runId',
  'agent_id as agentId',
  'agent_uid as agentUid',
  'kind',
  'state',
  'prompt',
  'created_at as createdAt',
  'created_by_role as createdByRole',
  'created_by_id as createdById',
  'schedule_uid as scheduleUid',
  'schedule_name as scheduleName',
  'slot',
  'attempt',
  'cycle',
  'started_at as startedAt',
  'ended_at as endedAt',
  'summary',
  'error_code as errorCode',
  'error_message as errorMessage',
  'cancel_requested_at as cancelRequestedAt',
  'lease_until as leaseUntil',
  'events',
  'session_id as sessionId',
  'runtime',
  'model',
  'progress_attempt as progressAttempt',
  'budgets',
  'steps',
  'tokens',
  'cost_micros as costMicros',
  'claimed_tokens as claimedTokens',
  'claimed_cost_micros as claimedCostMicros',
  'unsettled',
  'parent_run_id as parentRunId',
  'parent_call_id as parentCallId',
  'role',
  'depth',
  'tool_lists as toolLists',
  'safe_mode as safeMode',
  TAINT_OF_RUN.as('taint'),
] as const;
export type RunRow = Readonly<Selection<Tables, 'run', (typeof RUN_COLUMNS)[number]>>;

export const UNDER_WAY = ['queued', 'running', 'waiting_permission'] as const satisfies readonly RunState[];
