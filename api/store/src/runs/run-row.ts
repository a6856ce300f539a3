import type { RunState } from '@hamlet/contract';
import type { Selection } from 'kysely';
import type { Tables } from '../connection/tables.ts';

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
] as const;
export type RunRow = Readonly<Selection<Tables, 'run', (typeof RUN_COLUMNS)[number]>>;

export const UNDER_WAY = ['queued', 'running', 'waiting_permission'] as const satisfies readonly RunState[];
