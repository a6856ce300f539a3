import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMOTE_TICKS, type Landmark, SPEECH_TICKS, TICKS_PER_DAY } from '@hamlet/contract';
import { terrainCode } from '../map/terrain.ts';
import { buildMap } from '../map/world-map.ts';
import { advance } from './advance.ts';
import { agentShowing } from '../frame/agent-entry.ts';
import { activityAt, itemViews, speechAt, surroundingOf } from './describe.ts';
import { stateHash } from './snapshot.ts';
import { holdPlace, reduce } from './reduce.ts';
import { createWorld, type WorldState } from './state/state.ts';

const SIDE = 3;
const GARDEN: Landmark = {
  landmark_id: 'garden',
  name: 'Garden',
  kind: 'garden',
  position: { x: 1, y: 1 },
  slots: [{ x: 1, y: 1 }],
  affordances: ['tend'],
};
const map = buildMap({
  width: SIDE,
  height: SIDE,
  terrain: new Uint8Array(SIDE * SIDE).fill(terrainCode('grass')),
  landmarks: [GARDEN],
  zones: [],
});

function withAda(seed = 1): WorldState {
  const world = createWorld(map, seed);
  return reduce(world, {
    seq: 1,
    tick: 1,
    kind: 'spawn',
    agent_id: 'ada',
    display_name: 'Ada',
    home: 'garden',
    x: 1,
    y: 1,
    tier: 0,
    awake: true,
    online: true,
  });
}

test('an activity and speech end exactly at their tick', () => {
  const world = withAda();
  reduce(world, {
    seq: 2,
    tick: 5,
    kind: 'use',
    agent_id: 'ada',
    target: 'garden',
    activity: 'tending',
    until_tick: 20,
    gives: null,
    consumes: null,
  });
  reduce(world, { seq: 3, tick: 6, kind: 'talk', agent_id: 'ada', text: 'Hello', to: null });
  assert.deepEqual(
    [5, 19, 20].map((tick) => activityAt(world, 0, tick)),
    ['tending', 'tending', 'idle'],
  );
  assert.deepEqual(
    [6, 5 + SPEECH_TICKS, 6 + SPEECH_TICKS].map((tick) => speechAt(world, 0, tick)?.text ?? null),
    ['Hello', 'Hello', null],
  );
});

test('an item on the first tile of the map has a position, and a held item does not', () => {
  const world = withAda();
  reduce(world, { seq: 2, tick: 2, kind: 'item_spawn', item_id: 'apple-1', x: 0, y: 0 });
  assert.deepEqual(itemViews(world), [{ item_id: 'apple-1', kind: 'apple', position: { x: 0, y: 0 }, held_by: null }]);
  reduce(world, { seq: 3, tick: 3, kind: 'pick_up', agent_id: 'ada', item_id: 'apple-1' });
  assert.deepEqual(
    itemViews(world),
    [{ item_id: 'apple-1', kind: 'apple', position: null, held_by: 'ada' }],
    'the agent of slot 0 holds it',
  );
});

test('the first slot of the map is held by the agent of the first slot, and free after the agent leaves', () => {
  const world = withAda();
  assert.deepEqual([world.agents.place[0], world.slotHolders[0]], [1, 1]);
  holdPlace(world, 0, 0);
  assert.deepEqual([world.agents.place[0], world.slotHolders[0]], [0, 0]);
  holdPlace(world, 0, 1);
  reduce(world, { seq: 2, tick: 2, kind: 'despawn', agent_id: 'ada' });
  assert.equal(world.slotHolders[0], 0);
});

test('items grow on every free tile within the borders except slots', () => {
  const grown = new Set<string>();
  for (let seed = 1; seed <= 60; seed += 1) {
    const world = createWorld(map, seed);
    for (const event of advance(world, TICKS_PER_DAY)) {
      if (event.kind !== 'item_spawn') continue;
      assert.ok(event.x >= 0 && event.y >= 0 && event.x < SIDE && event.y < SIDE, `${event.x},${event.y}`);
      grown.add(`${event.x},${event.y}`);
    }
  }
  assert.deepEqual([...grown].toSorted(), ['0,0', '0,1', '0,2', '1,0', '1,2', '2,0', '2,1', '2,2']);
});

test('a frame shows an emote until it ends', () => {
  const world = withAda();
  assert.equal(agentShowing(world, 0, 5).emote, null);
  reduce(world, { seq: 2, tick: 6, kind: 'emote', agent_id: 'ada', emote: 'wave' });
  assert.deepEqual(
    [6, 5 + EMOTE_TICKS, 6 + EMOTE_TICKS].map((tick) => agentShowing(world, 0, tick).emote?.emote ?? null),
    ['wave', 'wave', null],
  );
});

test('a state hash has sixteen hexadecimal digits', () => {
  assert.match(stateHash(withAda()), /^[0-9a-f]{16}$/);
});

test('an agent sees itself first, then the agent it asks for, then others within the radius, and nearby items', () => {
  const world = withAda();
  const spawn = (seq: number, agent_id: string, at: { readonly x: number; readonly y: number }): void => {
    const named = { agent_id, display_name: agent_id, home: 'garden', tier: 0, awake: true, online: true };
    reduce(world, { seq, tick: 1, kind: 'spawn', ...named, ...at });
  };
  spawn(2, 'far', { x: 2, y: 2 });
  spawn(3, 'near', { x: 1, y: 0 });
  reduce(world, { seq: 4, tick: 2, kind: 'item_spawn', item_id: 'apple-1', x: 0, y: 1 });
  const seen = (agentId: string, radius: number, also?: string): readonly (readonly string[])[] => {
    const { agents, items } = surroundingOf(world, agentId, { radius, tick: 3, also });
    return [agents.map(({ agent_id }) => agent_id), items.map(({ item_id }) => item_id)];
  };
  assert.deepEqual(seen('near', 1), [['near', 'ada'], ['apple-1']]);
  assert.deepEqual(seen('near', 1, 'far'), [['near', 'far', 'ada'], ['apple-1']]);
  assert.deepEqual(seen('near', 0, 'ada'), [['near', 'ada'], []], 'the agent of slot 0 can be asked for');
  assert.deepEqual(seen('ada', 0, 'ada'), [['ada'], []], 'no agent is listed twice');
  assert.deepEqual(seen('ada', 0, 'nobody'), [['ada'], []]);
  assert.deepEqual(seen('ada', 1), [['ada', 'far', 'near'], ['apple-1']]);
  assert.deepEqual(seen('nobody', 9), [[], []]);
});
