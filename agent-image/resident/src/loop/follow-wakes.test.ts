import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../process/json-log.ts';
import { aWake } from '../testing/a-village.ts';
import { DOWN, ok, scriptedVillage, STALE } from '../testing/scripted-village.ts';
import { followWakes } from './follow-wakes.ts';
import type { RunListener } from '../runs/run-worker.ts';
import { createInbox, MAX_WAITING_WAKES } from './inbox.ts';

function setUp() {
  const village = scriptedVillage();
  const inbox = createInbox();
  const stop = new AbortController();
  const pauses: number[] = [];
  const rest = async (ms: number) => void pauses.push(ms);
  const log = createLog(
    () => {},
    () => 0,
    {},
  );
  const calls: string[] = [];
  const runs: RunListener = {
    check: () => void calls.push('look'),
    hint: ({ run_id }) => void calls.push(run_id),
    arrived: () => void calls.push('arrived'),
  };
  const followed = () => followWakes({ village, inbox, runs, cycle: 3, log, rest, random: () => 1, stop: stop.signal });
  return { village, inbox, stop, pauses, calls, followed };
}

test('a broken stream resumes after the last wake seen', async () => {
  const { village, inbox, stop, pauses, followed } = setUp();
  village.script.follow = [DOWN, DOWN];
  const done = followed();
  await setTimeoutZero();
  village.send({ kind: 'wake', wake: aWake('arrived', {}, 41) });
  village.hangUp(ok(null));
  await setTimeoutZero();
  assert.deepEqual(village.followedAfter, [null, null, null, 41]);
  assert.deepEqual(pauses, [250, 500, 250]);
  assert.deepEqual(await inbox.next(0), { kind: 'wake', wake: aWake('arrived', {}, 41) });
  stop.abort();
  village.hangUp(DOWN);
  await done;
});

test("an event or a refusal with a newer cycle ends the inbox; the agent's own cycle does not", async () => {
  const byEvent = setUp();
  void byEvent.followed();
  byEvent.village.send({ kind: 'cycle', cycle: 3 });
  byEvent.inbox.push(aWake('arrived'));
  assert.equal((await byEvent.inbox.next(0)).kind, 'wake');
  byEvent.village.send({ kind: 'cycle', cycle: 4 });
  assert.deepEqual(await byEvent.inbox.next(0), { kind: 'ended', why: 'stale' });

  const byRefusal = setUp();
  byRefusal.village.script.follow = [STALE];
  await byRefusal.followed();
  assert.deepEqual(await byRefusal.inbox.next(0), { kind: 'ended', why: 'stale' });
});

test('the worker requests runs when the stream opens and at each hint, and receives arrivals', async () => {
  const { village, inbox, stop, calls, followed } = setUp();
  const done = followed();
  await setTimeoutZero();
  village.send({ kind: 'open' });
  village.send({ kind: 'run', hint: { run_id: 'r1' } });
  village.send({ kind: 'wake', wake: aWake('arrived', {}, 5) });
  assert.deepEqual(calls, ['look', 'r1', 'arrived']);
  assert.equal((await inbox.next(0)).kind, 'wake', 'the loop receives the arrival too');
  stop.abort();
  village.hangUp(DOWN);
  await done;
});

test('an inbox has a limit, drops the oldest wakes, and replaces wakes that a newer one supersedes', async () => {
  const inbox = createInbox();
  inbox.push(aWake('arrived', { landmark_id: 'cafe' }, 1));
  inbox.push(aWake('arrived', { landmark_id: 'market' }, 2));
  assert.deepEqual(await inbox.next(0), { kind: 'wake', wake: aWake('arrived', { landmark_id: 'market' }, 2) });
  assert.deepEqual(await inbox.next(0), { kind: 'tick' });
  for (let seq = 1; seq <= MAX_WAITING_WAKES + 1; seq += 1) inbox.push(aWake('spoken_to', {}, seq));
  assert.deepEqual(await inbox.next(0), { kind: 'wake', wake: aWake('spoken_to', {}, 2) });
});

test('a wake ends the pause', async () => {
  const inbox = createInbox();
  const next = inbox.next(60_000);
  inbox.push(aWake('met'));
  assert.equal((await next).kind, 'wake');
});

/** Lets all ready tasks run. */
function setTimeoutZero(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}
