import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getWorldMap } from '@hamlet/contract';
import { apiThat, AWAY, UNREACHABLE } from '../api.fixture.ts';
import { type AppState, INITIAL_STATE } from '../app-state.ts';
import { createStore } from '../store.ts';
import { LiveSource, withConnection, withHands } from './live-source.ts';

test('while the world is unavailable the store has the reason why there is no map', async () => {
  const store = createStore(INITIAL_STATE);
  const source = new LiveSource(UNREACHABLE, store);
  assert.deepEqual([await source.load(), source.moment()], [null, null]);
  assert.deepEqual(store.get().loading, { failed: AWAY.refused });
});

test('an unreadable map becomes a refusal, not an endless wait', async () => {
  const store = createStore(INITIAL_STATE);
  const map = { width: 2, height: 2, terrain: '%', legend: [] };
  const api = apiThat((name) => ({
    ok: true,
    data: name === getWorldMap.name ? map : { landmarks: [], zones: [], tick: 0 },
  }));
  assert.equal(await new LiveSource(api, store).load(), null);
  const { loading } = store.get();
  assert.ok(typeof loading === 'object' && loading.failed.title === 'The map cannot be read');
});

const EMPTY: Pick<AppState, 'hands' | 'connection'> = { hands: new Map(), connection: 'live' };
const text = (agents: object, reset = false): string => JSON.stringify({ type: 'hands', reset, agents });

test('activities begin, change and end; a reset removes all others', () => {
  const two = withHands(EMPTY, text({ ada: 'typing', bob: 'waiting' }));
  const ended = withHands(two, text({ ada: 'building', bob: null }));
  assert.deepEqual([...ended.hands], [['ada', 'building']]);
  assert.deepEqual([...withHands(two, text({ cleo: 'reading' }, true)).hands], [['cleo', 'reading']]);
});

test('a message that this page does not know changes nothing', () => {
  const one = withHands(EMPTY, text({ ada: 'typing' }));
  for (const other of ['{', '{"type":"weather"}', text({ ada: 'juggling' }), 'null'])
    assert.equal(withHands(one, other), one);
});

test('without a connection no activity is known', () => {
  const one = withHands(EMPTY, text({ ada: 'typing' }));
  assert.equal(withConnection(one, 'lagging').hands.size, 1);
  assert.equal(withConnection(one, 'reconnecting').hands.size, 0);
  assert.equal(withConnection(one, 'live'), one);
});
