import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppState } from '../app-state.ts';
import { withConnection, withHands } from './live-source.ts';

const NOBODY: Pick<AppState, 'hands' | 'connection'> = { hands: new Map(), connection: 'live' };
const text = (agents: object, reset = false): string => JSON.stringify({ type: 'hands', reset, agents });

test('activities begin, change and end; a reset forgets the others', () => {
  const two = withHands(NOBODY, text({ ada: 'typing', bob: 'waiting' }));
  const ended = withHands(two, text({ ada: 'building', bob: null }));
  assert.deepEqual([...ended.hands], [['ada', 'building']]);
  assert.deepEqual([...withHands(two, text({ cleo: 'reading' }, true)).hands], [['cleo', 'reading']]);
});

test('a message that this page does not know changes nothing', () => {
  const one = withHands(NOBODY, text({ ada: 'typing' }));
  for (const other of ['{', '{"type":"weather"}', text({ ada: 'juggling' }), 'null'])
    assert.equal(withHands(one, other), one);
});

test('without a connection nothing is known', () => {
  const one = withHands(NOBODY, text({ ada: 'typing' }));
  assert.equal(withConnection(one, 'lagging').hands.size, 1);
  assert.equal(withConnection(one, 'reconnecting').hands.size, 0);
  assert.equal(withConnection(one, 'live'), one);
});
