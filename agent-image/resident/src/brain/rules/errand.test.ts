/** The daily errand, which brings an item to a place that needs it: the edge cases of each step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REACH_TILES } from '@hamlet/contract/resident';
import type { AgentView } from '@hamlet/contract';
import { aSituation, type Seen } from '../../testing/a-situation.ts';
import { AT } from '../../testing/a-village.ts';
import { planDay } from '../day-plan.ts';
import type { Situation } from '../situation.ts';
import { errand } from './errand.ts';

const HERE = AT.square;
const APPLE = { item_id: 'apple-1', kind: 'apple', position: HERE, held_by: null } as const;
const CARRIED: AgentView['inventory'] = [{ item_id: 'apple-1', kind: 'apple' }];

const situation = (given: Seen): Situation => aSituation({ minute: 900, tick: 9_000, ...given });

const { errandTo, errandFrom } = planDay(situation({}).character, situation({}).landmarks, 0);
const [to] = (['cafe', 'market'] as const).filter((place) => place === errandTo);
assert.ok(to !== undefined, 'the errand of the day leads to the cafe or the market');
const command = (given: Seen): unknown => errand(situation(given))?.command ?? null;
const tilesFrom = (tiles: number): { readonly x: number; readonly y: number } => ({ x: HERE.x + tiles, y: HERE.y });
const moveTo = (position: { readonly x: number; readonly y: number }): unknown => ({
  kind: 'move',
  body: { x: position.x, y: position.y },
});
const onTheWayTo = (position: { readonly x: number; readonly y: number }): Partial<AgentView> => ({
  moving_to: { ...position, arrives_tick: 9_900, landmark_id: null },
});
const PICK_UP = { kind: 'act', body: { kind: 'pick_up', item_id: 'apple-1' } };
const DROP = { kind: 'act', body: { kind: 'drop', item_id: 'apple-1' } };

test('the errand begins at its minute, once a day', () => {
  assert.equal(command({ minute: errandFrom - 1, items: [APPLE] }), null);
  assert.deepEqual(command({ minute: errandFrom, items: [APPLE] }), PICK_UP);
  assert.equal(command({ items: [APPLE], mind: { delivered: true } }), null);
  assert.equal(command({}), null, 'nothing lies about');
});

test('a standing agent picks up an item within reach, and walks to one that is a tile further away', () => {
  const inReach = { ...APPLE, position: tilesFrom(REACH_TILES) };
  assert.deepEqual(command({ items: [inReach] }), PICK_UP);
  assert.deepEqual(
    command({ items: [{ ...APPLE, position: tilesFrom(REACH_TILES + 1) }] }),
    moveTo(tilesFrom(REACH_TILES + 1)),
  );
  assert.deepEqual(
    command({ items: [inReach], self: onTheWayTo(AT.library) }),
    moveTo(inReach.position),
    'an agent on its way elsewhere goes there first',
  );
  assert.deepEqual(
    command({ items: [inReach], self: onTheWayTo(inReach.position) }),
    { kind: 'stay' },
    'an agent on its way to the item walks on',
  );
});

test('a walking agent stays with its chosen item, and an agent near an item takes that one', () => {
  const far = Array.from({ length: 8 }, (_, index) => ({
    ...APPLE,
    item_id: `far-${index}`,
    position: { x: 90 + index, y: 9 },
  }));
  for (const target of far)
    assert.deepEqual(command({ items: far, self: onTheWayTo(target.position) }), { kind: 'stay' }, target.item_id);
  for (const position of [
    { x: 90, y: 8 },
    { x: 89, y: 9 },
  ])
    assert.notDeepEqual(
      command({ items: far, self: onTheWayTo(position) }),
      { kind: 'stay' },
      'the agent walks to a tile beside the item',
    );
  assert.deepEqual(command({ items: [...far, APPLE] }), PICK_UP);
});

test('the agent ignores an item at the destination and an item that the village has just refused', () => {
  const lies = { ...APPLE, position: AT[to] };
  assert.equal(command({ items: [lies] }), null);
  for (const beside of [
    { x: AT[to].x + 1, y: AT[to].y },
    { x: AT[to].x, y: AT[to].y + 1 },
  ])
    assert.deepEqual(
      command({ items: [{ ...APPLE, position: beside }] }),
      moveTo(beside),
      'a tile beside it is another place',
    );
  assert.equal(command({ items: [APPLE], mind: { refused: { 'pick_up:apple-1': 8_999 } } }), null);
  assert.equal(command({ items: [APPLE], mind: { refused: { [`move:${HERE.x},${HERE.y}`]: 8_999 } } }), null);
});

test('the agent brings its item to the place, and puts it down there or a tile beside it', () => {
  assert.deepEqual(command({ self: { inventory: CARRIED } }), { kind: 'move', body: { landmark_id: to } });
  const at = (x: number, y: number, more: Seen = {}): unknown =>
    command({ ...more, self: { inventory: CARRIED, position: { x: AT[to].x + x, y: AT[to].y + y }, ...more.self } });
  for (const [x, y] of [
    [0, 0],
    [1, 1],
    [-1, 0],
  ] as const)
    assert.deepEqual(at(x, y), DROP, `${x}, ${y}`);
  for (const [x, y] of [
    [2, 0],
    [0, -2],
  ] as const)
    assert.deepEqual(at(x, y), { kind: 'move', body: { landmark_id: to } }, `${x}, ${y}`);
  assert.deepEqual(
    at(0, 0, { self: onTheWayTo(AT.library) }),
    { kind: 'move', body: { landmark_id: to } },
    'an agent that passes by does not put it down',
  );
});

test('the agent puts no item on another: it steps aside, in a direction that the village permits', () => {
  const [x, y] = [AT[to].x + 1, AT[to].y];
  const full: Seen = {
    self: { inventory: CARRIED, position: { x, y } },
    items: [{ ...APPLE, item_id: 'other', position: { x, y } }],
  };
  const seen = errand(situation(full))?.command;
  assert.ok(seen?.kind === 'move' && 'dx' in seen.body, 'a step');
  const steps = [
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
  ] as const;
  for (const free of steps) {
    const refused = Object.fromEntries(
      steps.filter((step) => step !== free).map((step) => [`move:${step.join()}`, 8_999]),
    );
    assert.deepEqual(
      command({ ...full, mind: { refused } }),
      { kind: 'move', body: { dx: free[0], dy: free[1] } },
      'the only way out',
    );
  }
  assert.deepEqual(
    command({ ...full, mind: { refused: Object.fromEntries(steps.map((step) => [`move:${step.join()}`, 8_999])) } }),
    DROP,
  );
  assert.deepEqual(
    command({ ...full, items: [{ ...APPLE, item_id: 'other', position: { x: x + 1, y } }] }),
    DROP,
    'a tile beside it is free',
  );
});

test('the agent does not deliver a meal that it carries for itself', () => {
  assert.equal(command({ self: { inventory: [{ item_id: 'coffee-1', kind: 'coffee' }] } }), null);
});
