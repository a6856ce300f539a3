import type { RunKind, RunState } from '@hamlet/contract';

/** A run as the table has it. */
export interface RunRow {
  readonly runId: string;
  readonly agentId: string;
  /** The life of the agent that it was given to. */
  readonly agentUid: string;
  readonly kind: RunKind;
  readonly state: RunState;
  readonly prompt: string;
  readonly createdAt: Date;
  readonly createdByRole: string;
  readonly createdById: string;
  readonly scheduleUid: string | null;
  readonly scheduleName: string | null;
  readonly slot: Date | null;
  readonly attempt: number;
  readonly cycle: number | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly summary: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly cancelRequestedAt: Date | null;
  /** The end of the claim of the agent that works on it; null if none does. */
  readonly leaseUntil: Date | null;
  /** The number of its last event. */
  readonly events: number;
}

/** Every column of a run under its name here. */
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
] as const;

/** The states in which a run is under way. */
export const UNDER_WAY = ['queued', 'running', 'waiting_permission'] as const satisfies readonly RunState[];
