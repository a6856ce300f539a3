import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RUN_EVENT_KINDS, RUN_STATES, type Run } from '@hamlet/contract';
import { eventLabel, mayCancel, originLabel, runLength, STATE_LABELS, stateLabel } from './run-labels.ts';

const run = (more: Partial<Run> = {}): Run => ({
  run_id: '01a20000-0000-7000-8000-000000000001',
  agent_id: 'ada',
  kind: 'prompt',
  state: 'queued',
  prompt: 'Go home.',
  created_at: '2026-11-23T12:00:00Z',
  created_by: { role: 'member', id: 'account mia' },
  schedule: null,
  attempt: 0,
  cycle: null,
  started_at: null,
  ended_at: null,
  summary: null,
  error: null,
  cancel_requested_at: null,
  session_id: null,
  runtime: null,
  usage: { steps: 0, tokens: 0, cost: '0', witnessed: false },
  budgets: null,
  unsettled: [],
  ...more,
});
const NOW = Date.parse('2026-11-23T12:01:00Z');

test('every state has a word of its own', () => {
  assert.equal(new Set(RUN_STATES.map((state) => STATE_LABELS[state].word)).size, RUN_STATES.length);
  assert.equal(stateLabel(run({ state: 'running', cancel_requested_at: '2026-11-23T12:00:30Z' })).word, 'Ending');
  assert.equal(stateLabel(run({ state: 'cancelled', cancel_requested_at: '2026-11-23T12:00:30Z' })).word, 'Cancelled');
});

test('the duration of a run: waiting, running, done, never started', () => {
  assert.equal(runLength(run(), NOW), 'waits 1 min');
  assert.equal(runLength(run({ state: 'running', started_at: '2026-11-23T12:00:48Z' }), NOW), '12 s');
  assert.equal(
    runLength(run({ state: 'done', started_at: '2026-11-23T12:00:00Z', ended_at: '2026-11-23T12:00:02.5Z' }), NOW),
    '2.5 s',
  );
  assert.equal(runLength(run({ state: 'cancelled', ended_at: '2026-11-23T12:00:02Z' }), NOW), 'never started');
});

test('the origin of a run', () => {
  assert.equal(originLabel(run(), 'mia'), 'from you');
  assert.equal(
    originLabel(run({ schedule: { name: 'morning', uid: 'u', slot: '2026-11-23T12:00:00Z' } }), null),
    'schedule morning',
  );
});

test('every kind of event has a label, with and without its details', () => {
  for (const event of RUN_EVENT_KINDS) assert.notEqual(eventLabel({ event, detail: {} }), '');
  assert.equal(
    eventLabel({ event: 'step', detail: { step: 0, outcome: 'done', text: 'Walked to the café' } }),
    'Step: Walked to the café',
  );
  assert.equal(eventLabel({ event: 'redelivered', detail: { cycle: 7 } }), 'Delivered again in cycle 7');
});

test('an admin may end any run, a member only their own, and neither an ended run', () => {
  assert.equal(mayCancel(run(), { role: 'admin', id: 'keeper' }), true);
  assert.equal(mayCancel(run(), { role: 'member', id: 'mia' }), true);
  assert.equal(mayCancel(run(), { role: 'member', id: 'tom' }), false);
  assert.equal(mayCancel(run({ state: 'done' }), { role: 'admin', id: 'keeper' }), false);
});
