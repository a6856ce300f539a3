import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAILURES_MAX, PROBE_MS, TURN_MS, UpgradeTurn, type Turn } from './upgrade-turn.ts';

function turns(): { readonly ready: Set<string>; readonly ask: (key: string, nowMs: number) => Turn } {
  const turn = new UpgradeTurn();
  const ready = new Set<string>();
  return { ready, ask: (key, nowMs) => turn.take(key, (holder) => ready.has(holder), nowMs) };
}

test('agents are upgraded one at a time; the next follows once the previous one is ready, or after a minute', () => {
  const { ready, ask } = turns();
  assert.deepEqual([ask('a', 0), ask('b', 1), ask('a', 2)], ['now', 'waits', 'now']);
  ready.add('a');
  assert.deepEqual([ask('b', 3), ask('c', 4)], ['now', 'waits']);
  assert.equal(ask('c', 3 + TURN_MS), 'now');
});

test('three failures in a row halt the rollout; an agent that becomes ready later resumes it', () => {
  const { ready, ask } = turns();
  for (const [index, key] of ['a', 'b', 'c'].entries()) assert.equal(ask(key, index * TURN_MS), 'now');
  const haltedMs = FAILURES_MAX * TURN_MS;
  assert.deepEqual(
    ['d', 'e', 'a'].map((key) => ask(key, haltedMs)),
    ['halted', 'halted', 'halted'],
  );
  ready.add('b');
  assert.deepEqual([ask('d', haltedMs + 1), ask('e', haltedMs + 1)], ['now', 'waits']);
});

test('a success resets the count of failures, and a halted rollout tries one more agent after ten minutes', () => {
  const { ready, ask } = turns();
  ask('a', 0);
  ask('b', TURN_MS);
  ask('c', 2 * TURN_MS);
  ready.add('c');
  for (const [index, key] of ['d', 'e', 'f'].entries()) assert.equal(ask(key, (3 + index) * TURN_MS), 'now');
  assert.equal(ask('g', 6 * TURN_MS), 'halted');
  const probeMs = 5 * TURN_MS + PROBE_MS;
  assert.deepEqual([ask('g', probeMs - 1), ask('g', probeMs), ask('h', probeMs)], ['halted', 'now', 'waits']);
});
