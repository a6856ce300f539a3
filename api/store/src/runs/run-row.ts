import type { RunKind, RunState } from '@hamlet/contract';

/** A stored run. */
export interface RunRow {
  readonly runId: string;
  readonly agentId: string;
  /** Uid of the agent's life that must do the run. */
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
  /** End of the lease of the agent that works on the run; null if no agent does. */
  readonly leaseUntil: Date | null;
  /** The number of its last event. */
  readonly events: number;
}

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

export const UNDER_WAY = ['queued', 'running', 'waiting_permission'] as const satisfies readonly RunState[];
