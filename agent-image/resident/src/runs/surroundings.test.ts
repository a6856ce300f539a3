import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorldView } from '@hamlet/contract';
import { anAgent, AT, aWorld } from '../testing/a-village.ts';
import { PERCEPTION_TILES } from '../brain/situation.ts';
import { sightOf, surroundingsOf } from './surroundings.ts';

const at = (dx: number) => ({ x: AT.square.x + dx, y: AT.square.y });

test("the surroundings contain the other agents and the agent's place, but not the agent itself", () => {
  const world = aWorld({
    agents: [anAgent('bob'), anAgent('ada', { landmark_id: 'square', home: 'home' }), anAgent('cleo')],
  });
  const here = surroundingsOf(world, 'ada');
  assert.deepEqual(here?.agents, [
    { id: 'bob', name: 'Bob' },
    { id: 'cleo', name: 'Cleo' },
  ]);
  assert.deepEqual([here?.home, here?.place, here?.places.length], ['home', 'square', world.landmarks.length]);
  assert.deepEqual(here?.places[1], { id: 'cafe', name: 'the cafe', kind: 'cafe' });
  assert.equal(surroundingsOf(world, 'zoe'), null);
  const walking = aWorld({
    agents: [
      anAgent('ada', { landmark_id: 'square', moving_to: { ...AT.cafe, landmark_id: 'cafe', arrives_tick: 9_000 } }),
    ],
  });
  assert.equal(surroundingsOf(walking, 'ada')?.place, null, 'a walking agent is at no place');
});

function sight(changes: Partial<WorldView>, self = anAgent('ada', { landmark_id: 'square' })): string {
  return sightOf(aWorld({ ...changes, agents: [self, ...(changes.agents ?? [])] }), self);
}

test('the view states the time, the place, and the awake agents and items nearby', () => {
  assert.equal(
    sight({ time: { day: 0, minute: 65, phase: 'night' } }),
    'It is 01:05 and I am at the square. I see nobody.',
  );
  assert.equal(sight({}, anAgent('ada')), 'It is 10:00 and I am out of doors. I see nobody.');
  const others = [
    anAgent('bob', { position: at(PERCEPTION_TILES) }),
    anAgent('far', { position: at(PERCEPTION_TILES + 1) }),
    anAgent('zoe', { power: 'Asleep' }),
  ];
  assert.match(sight({ agents: others }), /I see Bob\.$/);
  const item = (item_id: string, dx: number | null) => ({
    item_id,
    kind: 'apple' as const,
    position: dx === null ? null : at(dx),
    held_by: null,
  });
  assert.match(
    sight({ items: [item('apple-1', 1), item('apple-2', 2), item('apple-3', null)] }),
    /I see nobody; on the ground: apple\.$/,
  );
  assert.match(sight({ items: [item('apple-1', PERCEPTION_TILES + 1)] }), /I see nobody\.$/);
});
