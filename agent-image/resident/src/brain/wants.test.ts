import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRICES } from '../testing/a-board.ts';
import {
  BUY_GAP_TICKS,
  BUY_SECONDS,
  LOOK_GAP_TICKS,
  looksAgain,
  mayBuy,
  NEED_ONE_IN,
  OUT_OF_TOKENS,
  wantOf,
  WISH_ONE_IN,
  type WantsOf,
} from './trade.ts';
import { itemInWords } from './words.ts';
import { NEW_TO_TRADE } from './mind.ts';

const SEEN: WantsOf = { needs: [], limits: { models: ['small'] }, model: 'small', prices: PRICES, personWaits: false };
const item = (changes: Partial<WantsOf>): unknown => wantOf({ ...SEEN, ...changes })?.item ?? null;

test('without a need and without a waiting person the agent wants nothing', () => {
  assert.equal(item({}), null);
  assert.equal(item({ needs: ['run r1', 'model insufficient_funds'] }), null);
});

test('an agent without tokens first wants one unit of tokens from the price list', () => {
  const want = wantOf({ ...SEEN, needs: ['run r1', OUT_OF_TOKENS], model: null, personWaits: true });
  assert.deepEqual(
    [want?.item, want?.seconds, want?.oneIn],
    [{ kind: 'quota', limit: 'tokens_per_hour', amount: 10_000 }, BUY_SECONDS, NEED_ONE_IN],
  );
});

test('without a model the agent wants the cheapest model that it may not use', () => {
  assert.deepEqual(item({ model: null, limits: { models: [] } }), { kind: 'model', model: 'small' });
  assert.deepEqual(
    item({ model: null, limits: { models: ['small'] } }),
    { kind: 'model', model: 'large' },
    'small is included but not served',
  );
  assert.equal(item({ model: null, limits: { models: ['small', 'large'] } }), null);
  const tie = { ...PRICES, models: { b: { per_hour: '1' }, a: { per_hour: '1' }, c: { per_hour: '0.5' } } };
  assert.deepEqual(
    [
      item({ model: null, limits: { models: ['c'] }, prices: tie }),
      item({ model: null, limits: { models: [] }, prices: tie }),
    ],
    [
      { kind: 'model', model: 'a' },
      { kind: 'model', model: 'c' },
    ],
  );
});

test('for a waiting person the agent wants the most expensive model, if it costs more than its own', () => {
  const want = wantOf({ ...SEEN, personWaits: true });
  assert.deepEqual([want?.item, want?.oneIn], [{ kind: 'model', model: 'large' }, WISH_ONE_IN]);
  assert.equal(item({ personWaits: true, limits: { models: ['small', 'large'] } }), null, 'it has it');
  assert.equal(
    item({ personWaits: true, limits: { models: ['large'] }, model: 'large' }),
    null,
    'small is cheaper than its own',
  );
  assert.deepEqual(
    item({ personWaits: true, limits: { models: ['own'] }, model: 'own' }),
    { kind: 'model', model: 'large' },
    'its own is not for sale',
  );
  assert.equal(item({ personWaits: true, prices: { ...PRICES, models: {} } }), null);
  assert.equal(
    item({ personWaits: true, prices: { ...PRICES, models: { small: { per_hour: '1' }, large: { per_hour: '1' } } } }),
    null,
    'no dearer',
  );
});

test('a purchase is described in words', () => {
  assert.deepEqual(
    [
      itemInWords({ kind: 'quota', limit: 'tokens_per_hour', amount: 7 }),
      itemInWords({ kind: 'quota', limit: 'requests_per_minute', amount: 7 }),
      itemInWords({ kind: 'model', model: 'm' }),
      itemInWords({ kind: 'priority' }),
      itemInWords({ kind: 'gpu', lane: 'gpu-0' }),
    ],
    [
      '7 more tokens an hour',
      '7 more requests a minute',
      'the model m',
      'a better place in the queue for seats',
      'the GPUs of gpu-0',
    ],
  );
});

test('the agent reads prices once a minute and buys once an hour', () => {
  assert.ok(looksAgain(NEW_TO_TRADE, 0) && mayBuy(NEW_TO_TRADE, 0));
  const mind = { lookedAt: 100, boughtAt: 100 };
  assert.deepEqual([looksAgain(mind, 99 + LOOK_GAP_TICKS), looksAgain(mind, 100 + LOOK_GAP_TICKS)], [false, true]);
  assert.deepEqual([mayBuy(mind, 99 + BUY_GAP_TICKS), mayBuy(mind, 100 + BUY_GAP_TICKS)], [false, true]);
});
