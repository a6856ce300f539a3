import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { DatabaseBusyError } from '@hamlet/store';
import { throughOutage, type LookUp } from './through-outage.ts';

const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const TOO_LATE = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });

/** A look-up that found `ada` once, and then fails with this error. */
async function lookUpThatFails(failure: Error): Promise<(standIn: boolean) => Promise<string>> {
  let fails = false;
  const lookUp = throughOutage(
    async () => {
      if (fails) throw failure;
      return 'ada';
    },
    () => 0,
  );
  assert.equal(await lookUp('secret', false), 'ada');
  fails = true;
  return (standIn) => lookUp('secret', standIn);
}

test('while Postgres is unreachable, reads use the cached answer and writes fail', async () => {
  const lookUp = await lookUpThatFails(AWAY);
  assert.equal(await lookUp(true), 'ada');
  await assert.rejects(lookUp(false), AWAY);
});

test('a busy database does not count as an outage: cached answers are not used', async () => {
  for (const failure of [new DatabaseBusyError('every connection is in use'), TOO_LATE]) {
    const lookUp = await lookUpThatFails(failure);
    await assert.rejects(lookUp(true), failure);
  }
});

/** A look-up with a clock that the test moves. It numbers its answers, and fails while the test sets `away`. */
function lookUpByClock(freshMs?: number): {
  readonly lookUp: LookUp<string>;
  readonly clock: { nowMs: number; isAway: boolean };
} {
  const clock = { nowMs: 0, isAway: false };
  let asked = 0;
  const find = async (secret: string): Promise<string> => {
    asked += 1;
    if (clock.isAway) throw AWAY;
    return `${secret} ${asked}`;
  };
  return { clock, lookUp: throughOutage(find, () => clock.nowMs, ...(freshMs === undefined ? [] : [{ freshMs }])) };
}

test('a cached answer is used for five minutes, and only for the same secret', async () => {
  const { lookUp, clock } = lookUpByClock();
  clock.nowMs = 1_000;
  await lookUp('ada', true);
  clock.isAway = true;
  clock.nowMs += 299_999;
  assert.equal(await lookUp('ada', true), 'ada 1');
  await assert.rejects(lookUp('bob', true), AWAY);
  clock.nowMs += 1;
  await assert.rejects(lookUp('ada', true), AWAY);
});

test('while the source answers, each look-up asks it unless its last answer is fresh', async () => {
  const { lookUp } = lookUpByClock();
  assert.deepEqual([await lookUp('ada', true), await lookUp('ada', true)], ['ada 1', 'ada 2']);
  const { lookUp: reused, clock } = lookUpByClock(60_000);
  clock.nowMs = 5_000;
  assert.equal(await reused('ada', false), 'ada 1');
  clock.nowMs += 59_999;
  assert.equal(await reused('ada', false), 'ada 1');
  assert.equal(await reused('bob', false), 'bob 2');
  clock.nowMs += 1;
  assert.equal(await reused('ada', false), 'ada 3');
});

test('the cache holds ten thousand answers, and then forgets the one that was used the longest time ago', async () => {
  const { lookUp, clock } = lookUpByClock();
  for (let index = 0; index < 10_000; index += 1) await lookUp(`caller ${index}`, true);
  clock.isAway = true;
  for (const caller of ['caller 0', 'caller 9999']) assert.match(await lookUp(caller, true), new RegExp(`^${caller} `));
  clock.isAway = false;
  clock.nowMs += 5_000;
  for (const caller of ['caller 0', 'one more']) await lookUp(caller, true);
  clock.isAway = true;
  for (const caller of ['caller 0', 'caller 9999', 'one more'])
    assert.match(await lookUp(caller, true), new RegExp(`^${caller} `));
  await assert.rejects(lookUp('caller 1', true), AWAY);
});

test('a read does not wait for a Postgres that has just failed; a write does', async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let asked = 0;
  const lookUp = throughOutage(
    () => answers[asked++]?.promise ?? Promise.reject(AWAY),
    () => 0,
  );
  answers[0]?.resolve('ada');
  assert.equal(await lookUp('secret', true), 'ada');
  const first = lookUp('secret', true);
  answers[1]?.reject(AWAY);
  assert.equal(await first, 'ada');
  // The third look-up is still running: reads neither wait for it nor start another.
  assert.equal(await lookUp('secret', true), 'ada');
  await assert.rejects(lookUp('another secret', true), AWAY);
  assert.equal(asked, 3);
  await assert.rejects(lookUp('secret', false), AWAY);
  assert.equal(asked, 4);
  answers[2]?.resolve('bob');
  await setImmediate();
  assert.equal(await lookUp('secret', true), 'bob');
});

test('for five seconds after a failure, reads do not wait; then one look-up runs in the background', async () => {
  const silent = Promise.withResolvers<string>();
  const answers: readonly (() => Promise<string>)[] = [
    async () => 'ada',
    () => Promise.reject(AWAY),
    () => silent.promise,
    async () => 'bob',
  ];
  const clock = { nowMs: 10_000 };
  let asked = 0;
  const lookUp = throughOutage(
    async () => (await answers[asked++]?.()) ?? '',
    () => clock.nowMs,
  );
  assert.equal(await lookUp('secret', true), 'ada');
  assert.equal(await lookUp('secret', true), 'ada');
  clock.nowMs += 4_999;
  assert.equal(await lookUp('secret', true), 'ada');
  assert.equal(asked, 3, 'one look-up waits in the background');
  clock.nowMs += 1;
  assert.equal(await lookUp('secret', true), 'bob');
  assert.equal(asked, 4);
});

test('the background look-up repeats until the source is back', async () => {
  const { lookUp, clock } = lookUpByClock();
  assert.equal(await lookUp('ada', true), 'ada 1');
  clock.isAway = true;
  for (let reads = 0; reads < 3; reads += 1) {
    assert.equal(await lookUp('ada', true), 'ada 1');
    await setImmediate();
  }
  clock.isAway = false;
  assert.equal(await lookUp('ada', true), 'ada 1', 'this read does not wait for its look-up');
  await setImmediate();
  assert.equal(await lookUp('ada', true), 'ada 6');
});
