import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pluck } from '@hamlet/test/env/pluck';
import { batchLookup } from './batch-lookup.ts';

interface Asked {
  readonly keys: readonly string[];
  readonly answer: PromiseWithResolvers<readonly string[]>;
}

/** Look-ups that the test answers when it wants. */
function lookUps(): { readonly asked: Asked[]; find(key: string): Promise<string> } {
  const asked: Asked[] = [];
  const find = batchLookup((keys: readonly string[]) => {
    const answer = Promise.withResolvers<readonly string[]>();
    asked.push({ keys, answer });
    return answer.promise;
  });
  return { asked, find };
}

test('look-ups in one turn of the event loop become one query with each key once, and each caller gets its own answer', async () => {
  const { asked, find } = lookUps();
  const answers = Promise.all([find('a'), find('b'), find('a')]);
  await turn();
  assert.deepEqual(pluck(asked, 'keys'), [['a', 'b']]);
  asked[0]?.answer.resolve(['of a', 'of b']);
  assert.deepEqual(await answers, ['of a', 'of b', 'of a']);
});

test('a call during a query gets the result of a later query, never of an earlier one', async () => {
  const { asked, find } = lookUps();
  const early = find('a');
  await turn();
  const late = Promise.all([find('a'), find('c')]);
  await turn();
  assert.equal(asked.length, 1, 'one at a time');
  asked[0]?.answer.resolve(['before']);
  assert.equal(await early, 'before');
  await turn();
  assert.deepEqual(asked[1]?.keys, ['a', 'c']);
  asked[1]?.answer.resolve(['after', 'of c']);
  assert.deepEqual(await late, ['after', 'of c']);
  const alone = find('a');
  await turn();
  assert.equal(asked.length, 3, 'nothing is remembered');
  asked[2]?.answer.resolve(['later']);
  assert.equal(await alone, 'later');
});

test('a failed query rejects its own callers and no others', async () => {
  const { asked, find } = lookUps();
  const together = Promise.allSettled([find('a'), find('b')]);
  await turn();
  const next = find('c');
  asked[0]?.answer.reject(new Error('away'));
  assert.deepEqual(pluck(await together, 'status'), ['rejected', 'rejected']);
  await turn();
  asked[1]?.answer.resolve(['of c']);
  assert.equal(await next, 'of c');
  const short = find('d');
  await turn();
  asked[2]?.answer.resolve([]);
  await assert.rejects(short, /the lookup of 1 keys returned 0 answers/);
});

test('a query has at most 500 keys; the rest follow in the next one', async () => {
  const { asked, find } = lookUps();
  const answers = Promise.all(Array.from({ length: 501 }, (_, index) => find(String(index))));
  await turn();
  assert.equal(asked[0]?.keys.length, 500);
  asked[0]?.answer.resolve(asked[0].keys);
  await turn();
  assert.deepEqual(asked[1]?.keys, ['500']);
  asked[1]?.answer.resolve(['500']);
  assert.deepEqual(
    await answers,
    Array.from({ length: 501 }, (_, index) => String(index)),
  );
});
