import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake-clock.ts';
import { RequestGate, type Priority } from './request-gate.ts';

/** Lets what is settled run on. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function harness(limits: ConstructorParameters<typeof RequestGate>[0]): { readonly started: string[]; send(name: string, priority: Priority): () => void; readonly clock: FakeClock } {
  const clock = new FakeClock();
  const gate = new RequestGate(limits, clock);
  const started: string[] = [];
  return {
    clock,
    started,
    send: (name, priority) => {
      const answer = Promise.withResolvers<void>();
      void gate.pass(priority, () => {
        started.push(name);
        return answer.promise;
      });
      return answer.resolve;
    },
  };
}

test('a burst goes through, the rest at the pace', async () => {
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

test('no more are in flight than allowed, normal ones go before bulk, critical ones never wait', async () => {
  const { started, send } = harness({ perSecond: 1_000, burst: 1_000, inFlight: 1 });
  const answer = send('first', 'normal');
  send('late', 'bulk');
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

test('a request that fails gives its place back', async () => {
  const gate = new RequestGate({ perSecond: 1_000, burst: 1_000, inFlight: 1 }, new FakeClock());
  await assert.rejects(gate.pass('normal', () => Promise.reject(new Error('no'))), /no/);
  assert.equal(await gate.pass('normal', () => Promise.resolve('yes')), 'yes');
});
