import type { Firing, ScheduleView } from '@hamlet/contract';
import type { FiringRow } from '@hamlet/store';
import type { AgentRecord } from '../agents/agent-source.ts';
import type { ScheduleRecord } from './schedule-source.ts';

const VEILED_PROMPT = 'Only admins can read the prompts of Schedules.';

const utc = (time: string | undefined): string | null => (time === undefined ? null : new Date(time).toISOString());

function statusView({ status }: ScheduleRecord): ScheduleView['status'] {
  return {
    last_slot: utc(status.lastSlot),
    last_run_id: status.lastRunID ?? null,
    last_run_at: utc(status.lastRunAt),
    next_run_at: utc(status.nextRunAt),
    next_runs: (status.nextRuns ?? []).map((time) => new Date(time).toISOString()),
    active_runs: status.activeRuns ?? 0,
    missed: status.missed ?? 0,
    conditions: (status.conditions ?? []).map(({ type, status: holds, reason, message, lastTransitionTime }) => ({
      type,
      status: holds,
      reason,
      message,
      last_transition_time: new Date(lastTransitionTime).toISOString(),
    })),
  };
}

function firingView({ firingId, slot, firedAt, madeUp, runs }: FiringRow): Firing {
  return {
    firing_id: firingId,
    slot: slot.toISOString(),
    fired_at: new Date(firedAt).toISOString(),
    made_up: madeUp,
    runs: [...runs],
  };
}

export function scheduleView(record: ScheduleRecord, firings: readonly FiringRow[]): ScheduleView {
  const { spec } = record;
  return {
    name: record.name,
    uid: record.uid,
    created_at: record.createdAt,
    agent_name: spec.agentName ?? null,
    selector: spec.selector === undefined ? null : { match_labels: spec.selector.matchLabels },
    prompt: spec.prompt,
    workflow: spec.workflow ?? null,
    every: spec.every ?? null,
    cron: spec.cron ?? null,
    daily_at: spec.dailyAt ?? null,
    time_zone: spec.timeZone ?? null,
    missed_runs: spec.missedRuns,
    catch_up_limit: spec.catchUpLimit,
    overlap: spec.overlap,
    starting_deadline_seconds: spec.startingDeadlineSeconds,
    suspend: spec.suspend,
    history_limit: spec.historyLimit,
    status: statusView(record),
    last_firings: firings.map(firingView),
  };
}

export function veiledSchedule(schedule: ScheduleView): ScheduleView {
  return { ...schedule, prompt: VEILED_PROMPT, veiled: true };
}

export function isOwnSchedule({ spec }: ScheduleRecord, { agentId, labels = {} }: AgentRecord): boolean {
  if (spec.selector === undefined) return spec.agentName === agentId;
  return Object.entries(spec.selector.matchLabels).every(([label, value]) => labels[label] === value);
}
