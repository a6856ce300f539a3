import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coalesce, shareRuns } from './single-flight.ts';

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

test('callers during a run share the next one, and get its result even while more callers come', async () => {
  const runs: PromiseWithResolvers<number>[] = [];
  const ask = shareRuns(() => {
    const run = Promise.withResolvers<number>();
    runs.push(run);
    return run.promise;
  });
  const first = [ask(), ask()];
  await turn();
  const second = [ask(), ask()];
  runs[0]?.resolve(1);
  await turn();
  const third = ask();
  runs[1]?.reject(new Error('no database'));
  assert.deepEqual(await Promise.all(first), [1, 1]);
  for (const each of second) await assert.rejects(each, /no database/);
  await turn();
  runs[2]?.resolve(3);
  assert.deepEqual([await third, runs.length], [3, 3]);
});
