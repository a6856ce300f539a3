import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { displacementFor, NodeRoom, textOrder, type Seated } from './node-room.ts';
import { amountsOf, type Amounts } from './room.ts';
import { GPU, LOW, MIDDLE, node, room } from './testing/sample-village.ts';

const sizeOf = (cpu: number): Amounts => amountsOf(room(cpu, cpu), [GPU]);
const agent = (key: string, rank: number, cpu: number): Seated => ({
  key,
  rank,
  createdAt: '2026-11-22T09:00:00Z',
  size: sizeOf(cpu),
});

function roomOn(name: string, cpu: number, agents: readonly Seated[]): NodeRoom {
  const place = new NodeRoom(node(name, room(cpu, cpu, 0, 20)), room(0, 0, 0, 0), [GPU]);
  for (const each of agents) place.seat(each);
  return place;
}

test('a rank can use the free room and that of lower ranks, but not that of its own rank', () => {
  const place = roomOn('a', 400, [agent('low', 0, 100), agent('peer', 1, 200)]);
  assert.deepEqual(
    [200, 201, 400].map((cpu) => place.couldFit(sizeOf(cpu), 1)),
    [true, false, false],
  );
  assert.deepEqual(
    [400, 401].map((cpu) => place.couldFit(sizeOf(cpu), 2)),
    [true, false],
  );
});

test('the lowest rank is displaced first, within it the youngest, then the last by name; the same rank never', () => {
  const old = { ...agent('old', 0, 1), createdAt: '2026-11-22T08:00:00Z' };
  const place = roomOn('a', 900, [
    agent('mid', 1, 1),
    old,
    agent('b', 0, 1),
    agent('a', 0, 1),
    agent('c', 0, 1),
    agent('peer', 2, 1),
  ]);
  assert.deepEqual(pluck(place.displaceable(2), 'key'), ['c', 'b', 'a', 'old', 'mid']);
  assert.deepEqual(place.displaceable(0), []);
});

test('an agent that leaves a node returns its room and is no longer counted', () => {
  const [low, other] = [agent('low', 0, 100), agent('other', 0, 200)];
  const place = roomOn('a', 400, [low, other]);
  assert.deepEqual([place.agents, place.free], [2, amountsOf(room(100, 100, 0, 18), [GPU])]);
  place.unseat(low);
  assert.deepEqual([place.agents, place.free], [1, amountsOf(room(200, 200, 0, 19), [GPU])]);
  assert.deepEqual(place.displaceable(1), [other]);
  assert.deepEqual([place.couldFit(sizeOf(400), 1), place.couldFit(sizeOf(401), 1)], [true, false]);
});

test('only the same agent can use the room of its ending pod', () => {
  const place = new NodeRoom(node('a', room(500, 500, 0, 10), { ending: LOW.size }), room(0, 0, 0, 0), [GPU]);
  place.clear(amountsOf(MIDDLE.size, [GPU]));
  assert.deepEqual(place.freeNow([]), amountsOf(room(200, 200, 0, 8), [GPU]));
  assert.deepEqual(place.freeNow([sizeOf(200)]), amountsOf(room(400, 400, 0, 9), [GPU]));
  assert.deepEqual(place.freeNow([sizeOf(200), sizeOf(100)]), amountsOf(room(500, 500, 0, 10), [GPU]));
});

const victims = (places: readonly NodeRoom[], cpu: number, rank: number): readonly string[] | undefined => {
  const found = displacementFor(places, sizeOf(cpu), rank);
  return found && [found.node.name, ...found.victims.map(({ key }) => key)];
};

test('no agent is displaced needlessly: if a larger seat of a higher rank suffices, the smaller one below stays', () => {
  const place = roomOn('a', 300, [agent('small', 0, 100), agent('large', 1, 200)]);
  assert.deepEqual(victims([place], 200, 2), ['a', 'large']);
  assert.deepEqual(victims([place], 100, 2), ['a', 'small']);
  assert.deepEqual(victims([place], 300, 2), ['a', 'large', 'small']);
  assert.equal(victims([place], 301, 2), undefined);
  assert.equal(victims([place], 200, 1), undefined);
});

test('the mildest displacement affects the lowest ranks, then the fewest agents, then the first node', () => {
  const one = roomOn('one', 200, [agent('mid', 1, 200)]);
  const two = roomOn('two', 200, [agent('x', 0, 100), agent('y', 0, 100)]);
  const three = roomOn('three', 200, [agent('z', 0, 200)]);
  const four = roomOn('four', 200, [agent('w', 0, 200)]);
  assert.deepEqual(victims([one, two], 200, 2), ['two', 'x', 'y']);
  assert.deepEqual(victims([two, one], 200, 2), ['two', 'x', 'y']);
  assert.deepEqual(victims([two, three], 200, 2), ['three', 'z']);
  assert.deepEqual(victims([three, two], 200, 2), ['three', 'z']);
  assert.deepEqual(victims([three, four], 200, 2), ['three', 'z']);
  assert.deepEqual(victims([four, three], 200, 2), ['four', 'w']);
});
test('texts are ordered by code units, and undefined comes last', () => {
  const texts = ['b', undefined, 'a', 'B', 'ab', undefined];
  assert.deepEqual(
    texts.map((text) => [text]).toSorted(([a], [b]) => textOrder(a, b)),
    [['B'], ['a'], ['ab'], ['b'], [undefined], [undefined]],
  );
  assert.deepEqual([textOrder('a', 'b'), textOrder('b', 'a'), textOrder('a', 'a')], [-1, 1, 0]);
  assert.deepEqual([textOrder(undefined, 'a'), textOrder('a', undefined), textOrder(undefined, undefined)], [1, -1, 0]);
});
