import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coalesce } from './single-flight.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('calls during a run share one further run, and each waits for a run that began after it', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const look = coalesce(() => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  const first = look();
  await turn();
  assert.equal(runs.length, 1);
  const ended: string[] = [];
  void look().then(() => ended.push('second'));
  void look().then(() => ended.push('third'));
  runs[0]?.resolve();
  await turn();
  assert.equal(runs.length, 2, 'one further run for both calls');
  assert.deepEqual(ended, [], 'the further run has not ended');
  runs[1]?.resolve();
  await first;
  await turn();
  assert.deepEqual([runs.length, ended.toSorted()], [2, ['second', 'third']]);
});

test('a failed run rejects, and the next call runs again', async () => {
  let tries = 0;
  const look = coalesce(async () => {
    tries += 1;
    if (tries === 1) throw new Error('no database');
  });
  await assert.rejects(look(), /no database/);
  await look();
  assert.equal(tries, 2);
});

test('a call after the promise settles starts its own run', async () => {
  let runs = 0;
  const look = coalesce(async () => {
    runs += 1;
  });
  await look().then(look).then(look);
  assert.equal(runs, 3);
});
