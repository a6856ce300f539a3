/** The Schedules that an agent may read, and the prompts that members may not read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentSpec, ScheduleSpec } from '@hamlet/contract';
import type { AgentRecord } from '../agents/agent-source.ts';
import { isOwnSchedule, scheduleView, veiledSchedule } from './schedule-view.ts';

const ADA: AgentRecord = {
  agentId: 'ada',
  uid: 'uid',
  createdAt: '',
  deleting: false,
  status: {},
  spec: AgentSpec.parse({}),
  labels: { team: 'bakers', floor: '1' },
};
const record = (target: object) => ({
  name: 'round',
  uid: 'uid',
  createdAt: '2026-11-23T12:00:00.000Z',
  spec: ScheduleSpec.parse({ prompt: 'Water the walnut.', every: '10m', ...target }),
  status: {},
});

test('a Schedule belongs to the agents that it names or selects by all its labels', () => {
  const targets = [
    { agentName: 'ada' },
    { agentName: 'bob' },
    { selector: { matchLabels: { team: 'bakers' } } },
    { selector: { matchLabels: { team: 'bakers', floor: '2' } } },
  ];
  assert.deepEqual(
    targets.map((target) => isOwnSchedule(record(target), ADA)),
    [true, false, true, false],
  );
});

test('a member sees a Schedule without its prompt', () => {
  const veiled = veiledSchedule(scheduleView(record({ agentName: 'ada' }), []));
  assert.deepEqual([veiled.veiled, veiled.every, JSON.stringify(veiled).includes('walnut')], [true, '10m', false]);
});
