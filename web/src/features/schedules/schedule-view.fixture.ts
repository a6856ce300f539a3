import type { ScheduleView } from '@hamlet/contract';

/** A schedule of the API for tests: active, daily at 08:30 in Zurich. */
export function scheduleView(more: Partial<ScheduleView> = {}): ScheduleView {
  return {
    name: 'morning',
    uid: 'u',
    created_at: '2026-11-01T00:00:00Z',
    agent_name: 'ada',
    selector: null,
    prompt: 'Read the board.',
    workflow: null,
    every: null,
    cron: null,
    daily_at: '08:30',
    time_zone: 'Europe/Zurich',
    missed_runs: 'Skip',
    catch_up_limit: 10,
    overlap: 'Forbid',
    starting_deadline_seconds: 300,
    suspend: false,
    history_limit: 10,
    status: {
      last_slot: null,
      last_run_id: null,
      last_run_at: null,
      next_run_at: null,
      next_runs: [],
      active_runs: 0,
      missed: 0,
      conditions: [],
    },
    last_firings: [],
    ...more,
  };
}

/** A firing that started a moment after its slot. */
export function firing(
  slot: string,
  outcome: ScheduleView['last_firings'][number]['runs'][number]['outcome'] = 'started',
): ScheduleView['last_firings'][number] {
  return { firing_id: slot, slot, fired_at: slot, made_up: false, runs: [{ agent_id: 'ada', run_id: null, outcome }] };
}
