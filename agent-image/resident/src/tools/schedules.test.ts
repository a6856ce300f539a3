import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScheduleView } from '@hamlet/contract';
import { ok } from '../testing/scripted-village.ts';
import type { WorkVillage } from '../village/work-village.ts';
import { listSchedules } from './reading.ts';

const AT = '2026-11-23T12:00:00.000Z';
const SCHEDULE: ScheduleView = {
  name: 'round',
  uid: 'uid',
  created_at: AT,
  agent_name: 'ada',
  selector: null,
  prompt: 'Look around.',
  workflow: null,
  every: '10m',
  cron: null,
  daily_at: null,
  time_zone: null,
  missed_runs: 'Skip',
  catch_up_limit: 1,
  overlap: 'Forbid',
  starting_deadline_seconds: 60,
  suspend: false,
  history_limit: 10,
  status: {
    last_slot: null,
    last_run_id: null,
    last_run_at: null,
    next_run_at: AT,
    next_runs: [AT],
    active_runs: 0,
    missed: 0,
    conditions: [],
  },
  last_firings: [],
};

async function listed(pages: readonly (readonly ScheduleView[])[]): Promise<string> {
  const schedules: WorkVillage['schedules'] = async (cursor) => {
    const page = Number(cursor ?? 0);
    return ok({ schedules: [...(pages[page] ?? [])], next_cursor: page + 1 < pages.length ? String(page + 1) : null });
  };
  const work = { schedules } as WorkVillage;
  const outcome = await listSchedules({ work, rest: async () => {}, random: () => 0 }, new AbortController().signal);
  return outcome.kind === 'ok' ? outcome.text : outcome.kind;
}

test("Schedules of all pages are listed with their times; a page without the agent's Schedules does not end the list", async () => {
  const night = {
    ...SCHEDULE,
    name: 'night',
    every: null,
    daily_at: '22:00',
    time_zone: 'Europe/Zurich',
    suspend: true,
  };
  assert.equal(
    await listed([[SCHEDULE], [], [night]]),
    `- round, every 10m, next ${AT}: Look around.\n- night, daily at 22:00, Europe/Zurich, suspended: Look around.`,
  );
  assert.match(await listed([[{ ...SCHEDULE, prompt: 'x'.repeat(500) }]]), /: x{199}…$/);
  assert.equal(await listed([[]]), 'No Schedule gives you work.');
});
