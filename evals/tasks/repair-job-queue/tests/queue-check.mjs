import assert from 'node:assert/strict';
import { run } from '/app/queue.mjs';

let running = 0;
let most = 0;
const after = (ms, value) => async () => {
  running += 1;
  most = Math.max(most, running);
  await new Promise((resolve) => setTimeout(resolve, ms));
  running -= 1;
  if (value instanceof Error) throw value;
  return value;
};
const failure = new Error('no flour');
const jobs = Array.from({ length: 20 }, (_, at) => after((at * 7) % 13, at === 4 ? failure : at));
const results = await run(jobs, 3);
assert.equal(results.length, 20);
results.forEach((result, at) => (at === 4 ? assert.equal(result.error, failure) : assert.equal(result, at)));
assert.equal(most, 3);
assert.deepEqual(await run([], 3), []);
assert.deepEqual(await run([() => Promise.resolve(1)], 5), [1]);
const thrown = await run([() => { throw failure; }, after(1, 2)], 1);
assert.deepEqual([thrown[0].error, thrown[1]], [failure, 2]);
