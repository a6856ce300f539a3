import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake-clock.ts';
import { RequestGate, type Priority } from './request-gate.ts';

/** Lets the callbacks of settled promises run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function harness(limits: ConstructorParameters<typeof RequestGate>[0]) {
  const clock = new FakeClock();
  const gate = new RequestGate(limits, clock);
  const started: string[] = [];
  return {
    clock,
    started,
    send: (name: string, priority: Priority) => {
      const answer = Promise.withResolvers<void>();
      void gate.pass(priority, () => {
        started.push(name);
        return answer.promise;
      });
      return answer.resolve;
    },
  };
}

test('a burst passes at once, the rest at the rate limit', async () => {
  const { started, send, clock } = harness({ perSecond: 10, burst: 2, inFlight: 100 });
  for (const name of ['a', 'b', 'c', 'd']) send(name, 'normal');
  await turn();
  assert.deepEqual(started, ['a', 'b']);
  clock.pass(100);
  await turn();
  assert.deepEqual(started, ['a', 'b', 'c']);
  clock.pass(100);
  await turn();
  assert.deepEqual(started, ['a', 'b', 'c', 'd']);
});

test('requests in flight are limited, normal ones pass before Events, critical ones never wait', async () => {
  const { started, send } = harness({ perSecond: 1_000, burst: 1_000, inFlight: 1 });
  const answer = send('first', 'normal');
  send('late', 'events');
  const second = send('second', 'normal');
  send('lease', 'critical');
  await turn();
  assert.deepEqual(started.toSorted(), ['first', 'lease']);
  answer();
  await turn();
  assert.deepEqual(started.slice(2), ['second']);
  second();
  await turn();
  assert.deepEqual(started.slice(2), ['second', 'late']);
});

test('a failed request frees its place', async () => {
  const gate = new RequestGate({ perSecond: 1_000, burst: 1_000, inFlight: 1 }, new FakeClock());
  await assert.rejects(
    gate.pass('normal', () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await gate.pass('normal', () => Promise.resolve('yes')), 'yes');
});

test('Events have their own rate limit, and delay no other request', async () => {
  const { started, send } = harness({ perSecond: 1_000, burst: 1_000, inFlight: 1_000 });
  for (let count = 0; count < 40; count += 1) send('event', 'events');
  for (let count = 0; count < 40; count += 1) send('write', 'normal');
  await turn();
  assert.deepEqual(
    [started.filter((name) => name === 'event').length, started.filter((name) => name === 'write').length],
    [25, 40],
  );
});

test('no lane starves behind a busier one', async () => {
  const { started, send } = harness({ perSecond: 10_000, burst: 10_000, inFlight: 1 });
  const answers = Array.from({ length: 30 }, (_, index) => send(`normal-${index}`, 'normal'));
  send('event', 'events');
  for (const answer of answers) {
    answer();
    await turn();
  }
  assert.ok(started.indexOf('event') < 10, `the event came as number ${started.indexOf('event')}`);
});

test('when the server asks for a pause, only leases pass', async () => {
  const clock = new FakeClock();
  const gate = new RequestGate({ perSecond: 1_000, burst: 1_000, inFlight: 10 }, clock);
  const started: string[] = [];
  const send = (name: string, priority: Priority): void =>
    void gate.pass(priority, () => Promise.resolve(void started.push(name)));
  gate.hold(2_000);
  send('write', 'normal');
  send('lease', 'critical');
  await turn();
  assert.deepEqual(started, ['lease']);
  clock.pass(1_999);
  await turn();
  assert.deepEqual(started, ['lease']);
  clock.pass(1);
  await turn();
  assert.deepEqual(started, ['lease', 'write']);
});

test('when a pause ends during the check, requests pass without waiting for another one', async () => {
  // Like real time, this clock moves between two reads. Like real timers, its timers fire up to a millisecond early.
  const timers: (() => void)[] = [];
  let nowMs = 0;
  const clock = {
    now: () => (nowMs += 0.3),
    after: (_delayMs: number, action: () => void) => (
      timers.push(action),
      () => timers.splice(timers.indexOf(action), 1)
    ),
  };
  const gate = new RequestGate({ perSecond: 1_000, burst: 1_000, inFlight: 1 }, clock);
  gate.hold(1_000);
  const passed = gate.pass('normal', () => Promise.resolve('passed'));
  for (const early of [2, 1, 0.5, 0.2]) {
    nowMs = Math.max(nowMs, 1_000 - early);
    timers.shift()?.();
  }
  assert.equal(gate.waiting, 0);
  assert.equal(await passed, 'passed');
});
