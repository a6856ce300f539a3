import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentView, WorldView } from '@hamlet/contract';
import { aSituation } from '../testing/a-situation.ts';
import { anAgent, AT } from '../testing/a-village.ts';
import { PERCEPTION_TILES, tilesBetween, type Situation } from '../brain/situation.ts';
import { NEWBORN, onDay, withEntry, withText } from '../brain/mind.ts';
import { MAX_ITEMS, MAX_NEIGHBOURS } from './perceive.ts';

const beside = (dx: number, dy = 0) => ({ x: AT.square.x + dx, y: AT.square.y + dy });

const seen = (world: Partial<WorldView>): Situation => aSituation({ world, mind: { goal: 'walking to the cafe' } });

const others = (...agents: readonly AgentView[]): readonly string[] =>
  seen({ agents: [anAgent('ada'), ...agents] }).neighbours.map(({ agent_id }) => agent_id);

test('distance is the longer of the two axes, as the village measures it', () => {
  assert.deepEqual(
    [
      tilesBetween({ x: 1, y: 1 }, { x: 4, y: 2 }),
      tilesBetween({ x: 1, y: 1 }, { x: 0, y: 9 }),
      tilesBetween({ x: 5, y: 5 }, { x: 5, y: 5 }),
    ],
    [3, 8, 0],
  );
});

test('the neighbours are other agents nearby that are awake, nearest first, then by name', () => {
  assert.deepEqual(
    others(
      anAgent('far', { position: beside(PERCEPTION_TILES + 1) }),
      anAgent('edge', { position: beside(0, PERCEPTION_TILES) }),
      anAgent('zoe', { position: beside(2) }),
      anAgent('bob', { position: beside(-2) }),
      anAgent('eve', { position: beside(1) }),
    ),
    ['eve', 'bob', 'zoe', 'edge'],
  );
  assert.deepEqual(others(anAgent('bob', { power: 'Asleep' })), []);
  assert.deepEqual(others(anAgent('b', { position: beside(1) }), anAgent('a', { position: beside(1) })), ['a', 'b']);
  assert.deepEqual(others(anAgent('a', { position: beside(1) }), anAgent('b', { position: beside(1) })), ['a', 'b']);
  assert.equal(
    others(...Array.from({ length: MAX_NEIGHBOURS + 3 }, (_, index) => anAgent(`n${index}`))).length,
    MAX_NEIGHBOURS,
  );
});

test('the listed items lie on the ground, nearest first, then by id, up to a limit', () => {
  const item = (item_id: string, dx: number | null) => ({
    item_id,
    kind: 'apple' as const,
    position: dx === null ? null : beside(dx),
    held_by: dx === null ? 'bob' : null,
  });
  const ids = (...items: readonly ReturnType<typeof item>[]) =>
    seen({ items: [...items] }).items.map(({ item_id }) => item_id);
  assert.deepEqual(ids(item('apple-9', 1), item('apple-3', 5), item('apple-2', null), item('apple-1', -1)), [
    'apple-1',
    'apple-9',
    'apple-3',
  ]);
  assert.deepEqual(ids(item('apple-2', 1), item('apple-1', 1)), ['apple-1', 'apple-2']);
  assert.equal(
    ids(...Array.from({ length: MAX_ITEMS + 2 }, (_, index) => item(`apple-${index}`, 1))).length,
    MAX_ITEMS,
  );
});

test('an agent at a place states its activity; a walking agent states its destination', () => {
  const goal = (self: Partial<AgentView>) => seen({ agents: [anAgent('ada', self)] }).mind.goal;
  assert.equal(goal({ landmark_id: 'cafe' }), 'spending time at the cafe');
  assert.equal(goal({ landmark_id: 'cafe', activity: 'sitting' }), 'sitting at the cafe');
  assert.equal(
    goal({ landmark_id: 'cafe', moving_to: { ...AT.market, landmark_id: 'market', arrives_tick: 9_000 } }),
    'walking to the cafe',
  );
  assert.equal(goal({ landmark_id: null }), 'walking to the cafe');
  assert.equal(goal({ landmark_id: 'unknown' }), 'walking to the cafe');
});

test('the daily lists last one day; a new day keeps only the other state', () => {
  const mind = {
    ...NEWBORN,
    day: 3,
    visited: ['cafe'],
    said: ['x'],
    goal: 'g',
    answered: { bob: { times: 1, tick: 2 } },
    trade: { lookedAt: 4, boughtAt: 5 },
  };
  assert.equal(onDay(mind, 3), mind);
  assert.deepEqual(onDay(mind, 4), { ...NEWBORN, day: 4, goal: 'g', answered: mind.answered, trade: mind.trade });
});

test('tables and lists keep the newest 64 entries, each once', () => {
  const keys = Array.from({ length: 70 }, (_, index) => `k${index}`);
  const table = keys.reduce<Record<string, number>>((all, key, index) => withEntry(all, [key, index]), {});
  assert.deepEqual([Object.keys(table).length, Object.keys(table)[0], Object.keys(table).at(-1)], [64, 'k6', 'k69']);
  assert.deepEqual(Object.keys(withEntry({ a: 1, b: 2 }, ['a', 3])), ['b', 'a']);
  const texts = keys.reduce<readonly string[]>((all, key) => withText(all, key), []);
  assert.deepEqual([texts.length, texts[0], texts.at(-1)], [64, 'k6', 'k69']);
  assert.deepEqual([withText(['a', 'b'], 'a'), withText(['a'], null)], [['b', 'a'], ['a']]);
});
