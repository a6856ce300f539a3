import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@hamlet/test/env/until';
import { PODS, type KubeObject } from '../client/kube-object.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { DEFAULT_WATCH_TIMES, Reflector, type WatchPort } from './reflector.ts';

const { shortMs } = DEFAULT_WATCH_TIMES;

/** A reflector whose watches end without an event, when the test says so. */
function harness() {
  const clock = new FakeClock();
  const failures: string[] = [];
  let ending = Promise.withResolvers<void>();
  const client: WatchPort = {
    list: () => Promise.resolve({ metadata: { resourceVersion: '5' }, items: [] }),
    watch: async function* watch(_type, { signal }) {
      signal?.addEventListener('abort', () => ending.resolve());
      if (signal?.aborted !== true) await ending.promise;
      yield* [];
    },
  };
  const onFailure = (error: unknown): void => void failures.push(String(error));
  const reflector = new Reflector<KubeObject>({ client, type: PODS, clock, random: () => 0, onFailure });
  return {
    clock,
    reflector,
    failures,
    endWatch: () => {
      const { resolve } = ending;
      ending = Promise.withResolvers();
      resolve();
    },
  };
}

test('a watch that the server ends after a second without an event is resumed at once, and does not count as a failure', async () => {
  const { clock, reflector, failures, endWatch } = harness();
  await reflector.start();
  await until('the first watch', async () => reflector.state.watches === 1);
  clock.pass(shortMs);
  endWatch();
  await until('the second watch', async () => reflector.state.watches === 2);
  assert.deepEqual(failures, []);
  await reflector.stop();
});

test('a watch that ends earlier without an event is a failure, and is resumed after a pause', async () => {
  const { clock, reflector, failures, endWatch } = harness();
  await reflector.start();
  await until('the first watch', async () => reflector.state.watches === 1);
  clock.pass(shortMs - 1);
  endWatch();
  await until('the failure', async () => failures.length === 1);
  assert.deepEqual(
    [failures, reflector.state.watches],
    [['Error: the server ended the watch at once and without an event'], 1],
  );
  clock.pass(800);
  await until('the second watch', async () => reflector.state.watches === 2);
  await reflector.stop();
});
