import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultMap } from '../map/village/default-map.ts';
import { isInMainRegion } from '../map/regions.ts';
import { terrainCode } from '../map/terrain.ts';
import { buildMap, type WorldMap } from '../map/world-map.ts';
import { advance } from './advance.ts';
import { changeMap } from './change-map.ts';
import { validateCommand } from './command/validate-command.ts';
import { agentPlaces, aliveSlots } from './describe.ts';
import { isMoving, positionAt, tileAt } from './position.ts';
import { drawsOf, runRandomly } from './testing/random-village.ts';
import { reduce } from './reduce.ts';
import { restoreWorld, snapshotWorld, stateHash } from './snapshot.ts';
import { createWorld, type WorldState } from './state/state.ts';

const map = defaultMap();

/** The village with water in every third block of four by four tiles, without its last landmark, and two columns narrower. */
function floodedMap(): WorldMap {
  const width = map.width - 2;
  const kept = map.landmarks.slice(0, -1);
  const dry = new Set(kept.flatMap(({ slots }) => slots.map(({ x, y }) => y * width + x)));
  const terrain = Uint8Array.from({ length: width * map.height }, (_, tile) => {
    const [x, y] = [tile % width, Math.floor(tile / width)];
    const floods = ((x >> 2) + (y >> 2) * 2) % 3 === 0 && !dry.has(tile);
    return floods ? terrainCode('water') : (map.terrain[y * map.width + x] ?? 0);
  });
  return buildMap({
    width,
    height: map.height,
    terrain,
    landmarks: kept,
    zones: map.zones.filter((zone) => zone.x + zone.width <= width),
  });
}

function assertStands(world: WorldState, tick: number): void {
  for (const slot of aliveSlots(world))
    assert.ok(isInMainRegion(world.map, tileAt(world, slot, tick)), 'every agent can reach most of the map');
  for (const item of world.items.byNumber.values()) {
    assert.equal(item.tile >= 0, item.holder < 0, 'an item lies or is held');
    if (item.tile >= 0) assert.equal(world.map.walkable[item.tile], 1, 'an item lies where it can be picked up');
  }
  assert.equal(
    world.items.lyingAt.size,
    [...world.items.byNumber.values()].filter(({ tile }) => tile >= 0).length,
    'at most one item lies on a tile',
  );
}

for (const seed of [1, 2, 3]) {
  test(`a village on a new map keeps agents and items, is the same each time, and continues (seed ${seed})`, () => {
    const flooded = floodedMap();
    const old = createWorld(map, seed);
    const tick = runRandomly(old, { draw: drawsOf(seed), steps: 800, seen: () => undefined });
    const before = stateHash(old);
    const moment = { seq: old.seq + 1, tick: tick + 3 };
    const moved = changeMap(old, flooded, moment);
    assert.equal(stateHash(old), before, 'the old world is unchanged');
    assert.deepEqual([moved.seq, moved.tick, moved.map.version], [moment.seq, moment.tick, flooded.version]);
    assertStands(moved, moment.tick);
    const whoIs = (world: WorldState): unknown =>
      agentPlaces(world, moment.tick).map(({ agent_id, display_name, inventory, speech }) => ({
        agent_id,
        display_name,
        inventory,
        speech,
      }));
    assert.deepEqual(whoIs(moved), whoIs(old));
    assert.deepEqual(aliveSlots(moved), aliveSlots(old));
    assert.deepEqual(
      [...moved.items.byNumber.keys()].toSorted(),
      [...old.items.byNumber.keys()].toSorted(),
      'nothing is lost while there is room',
    );
    assert.equal(
      stateHash(changeMap(restoreWorld(map, snapshotWorld(old)), flooded, moment)),
      stateHash(moved),
      'a replay gives the same world',
    );
    assert.equal(stateHash(restoreWorld(flooded, snapshotWorld(moved))), stateHash(moved));
    const later = runRandomly(moved, { draw: drawsOf(seed + 9), steps: 400, seen: () => undefined });
    for (const slot of aliveSlots(moved)) assert.equal(flooded.walkable[tileAt(moved, slot, later)], 1);
  });
}

function villageOfAda(tick: number): WorldState {
  const world = createWorld(map, 1);
  const outcome = validateCommand(
    world,
    { kind: 'spawn', agent_id: 'ada', display_name: 'Ada', tier: 0, awake: true, online: true },
    tick,
  );
  for (const event of outcome.ok ? outcome.events : []) reduce(world, event);
  return world;
}

test('a walking agent continues to the same landmark and arrives there', () => {
  const old = villageOfAda(0);
  const outcome = validateCommand(old, { kind: 'move', agent_id: 'ada', target: { landmark_id: 'forest' } }, 0);
  for (const event of outcome.ok ? outcome.events : []) reduce(old, event);
  const shifted = buildMap({
    ...map,
    landmarks: map.landmarks.map((landmark) =>
      landmark.landmark_id === 'forest' ? { ...landmark, slots: landmark.slots.toReversed() } : landmark,
    ),
  });
  const moved = changeMap(old, shifted, { seq: old.seq + 1, tick: 8 });
  assert.deepEqual(positionAt(moved, 0, 8), positionAt(old, 0, 8));
  assert.equal(isMoving(moved, 0, 8), true);
  const arrived = advance(moved, 20_000).find((event) => event.kind === 'arrive');
  assert.equal(arrived?.kind === 'arrive' ? arrived.landmark_id : null, 'forest');
});

test('an agent whose path is cut off arrives where it stands', () => {
  const old = villageOfAda(0);
  const outcome = validateCommand(old, { kind: 'move', agent_id: 'ada', target: { landmark_id: 'forest' } }, 0);
  for (const event of outcome.ok ? outcome.events : []) reduce(old, event);
  // The new map has land only around the agent.
  const here = positionAt(old, 0, 8);
  const island = map.terrain.map((code, tile) =>
    Math.max(Math.abs((tile % map.width) - here.x), Math.abs(Math.floor(tile / map.width) - here.y)) <= 2
      ? code
      : terrainCode('water'),
  );
  const moved = changeMap(old, buildMap({ ...map, terrain: island, landmarks: [], zones: [] }), {
    seq: old.seq + 1,
    tick: 8,
  });
  advance(moved, 100);
  assert.equal(isMoving(moved, 0, 100), false);
  assertStands(moved, 100);
  assert.equal(moved.seq, old.seq + 2, 'the arrival is announced');
});

test('a world does not change its map in place', () => {
  const world = villageOfAda(0);
  assert.throws(
    () => reduce(world, { seq: world.seq + 1, tick: 5, kind: 'map', map_version: 'other' }),
    /from map [0-9a-f]+ to map other/,
  );
});

test('a held item stays with its holder', () => {
  const world = villageOfAda(1);
  const [ada] = agentPlaces(world, 1);
  assert.ok(ada !== undefined);
  reduce(world, { seq: world.seq + 1, tick: 1, kind: 'item_spawn', item_id: 'apple-900', ...ada.position });
  const outcome = validateCommand(world, { kind: 'pick_up', agent_id: 'ada', item_id: 'apple-900' }, 1);
  for (const event of outcome.ok ? outcome.events : []) reduce(world, event);
  const moved = changeMap(world, floodedMap(), { seq: world.seq + 1, tick: 2 });
  assert.deepEqual(agentPlaces(moved, 2)[0]?.inventory, [{ item_id: 'apple-900', kind: 'apple' }]);
});

test('an agent whose border tile is gone moves to the nearest tile on the same side', () => {
  const at = { x: 1, y: 1 };
  const meadow = (columns: number): WorldMap =>
    buildMap({
      width: 6,
      height: 3,
      terrain: Uint8Array.from({ length: 18 }, (_, tile) => terrainCode(tile % 6 < columns ? 'grass' : 'water')),
      landmarks: [
        { landmark_id: 'garden', name: 'Garden', kind: 'garden', position: at, slots: [at], affordances: [] },
      ],
      zones: [],
    });
  const world = reduce(createWorld(meadow(6), 1), {
    seq: 1,
    tick: 1,
    kind: 'spawn',
    agent_id: 'ada',
    display_name: 'Ada',
    home: 'garden',
    x: 5,
    y: 0,
    tier: 0,
    awake: true,
    online: true,
  });
  const moved = changeMap(world, meadow(3), { seq: 2, tick: 2 });
  assert.deepEqual(agentPlaces(moved, 2)[0]?.position, { x: 2, y: 0 });
});
