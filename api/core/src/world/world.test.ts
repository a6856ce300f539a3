import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GROUP_COMMITTED_EVENTS, INVENTORY_LIMIT, type WorldCommand, WorldEvent } from '@hamlet/contract';
import { defaultMap } from '../map/village/default-map.ts';
import { advance } from './advance.ts';
import { halt } from './halt.ts';
import { AWAKE, has } from './state/agent-table.ts';
import { cellOf, cellsOfWalk } from './state/cell-index.ts';
import { validateCommand } from './command/validate-command.ts';
import { aliveSlots } from './describe.ts';
import { decodeEvents, encodeEvents } from './event-chunk.ts';
import { exactPositionAt, isMoving, positionAt, tileAt, walkOf } from './position.ts';
import { arrivalTick } from './state/walk.ts';
import { drawsOf, runRandomly } from './testing/random-village.ts';
import { reduce } from './reduce.ts';
import { restoreWorld, snapshotWorld, stateHash } from './snapshot.ts';
import { createWorld, type WorldState } from './state/state.ts';
import { wakesOf } from './wakes.ts';

const map = defaultMap();
const seeds = (process.env['WORLD_SEEDS'] ?? '1,2,3').split(',').map(Number);
const STEPS = Number(process.env['WORLD_STEPS'] ?? 3000);

function assertSound(world: WorldState, tick: number): void {
  const holders = new Map<number, number>();
  for (const slot of aliveSlots(world)) {
    assert.equal(map.walkable[tileAt(world, slot, tick)], 1, 'every agent stands on a walkable tile');
    const place = world.agents.place[slot] ?? 0;
    if (place > 0) {
      assert.equal(holders.has(place), false, 'a slot has at most one holder');
      holders.set(place, slot);
      assert.equal(world.slotHolders[place - 1], slot + 1);
    }
    assert.deepEqual(world.index.cellsOf(slot), cellsOfWalk(map, walkOf(world, slot)));
    assert.ok((world.agents.carried[slot]?.length ?? 0) <= INVENTORY_LIMIT);
    if (!has(world.agents, slot, AWAKE))
      assert.ok(arrivalTick(walkOf(world, slot)) - tick <= 8, 'a sleeping agent walks at most to the next tile');
  }
  assert.equal(world.slotHolders.filter((holder) => holder > 0).length, holders.size);
  const lying = new Set<number>();
  for (const item of world.items.byNumber.values()) {
    const carriers = aliveSlots(world).filter((slot) => world.agents.carried[slot]?.includes(item.number));
    assert.equal(carriers.length + (item.tile >= 0 ? 1 : 0), 1, 'an item is in exactly one place');
    assert.equal(item.holder, carriers[0] ?? -1);
    if (item.tile < 0) continue;
    assert.equal(lying.has(item.tile), false, 'one item lies on a tile');
    lying.add(item.tile);
    assert.ok(world.index.itemsIn(cellOf(map, item.tile)).has(item.number));
  }
}

for (const seed of seeds) {
  test(`after any commands the world keeps its invariants, replays to the byte and restores (seed ${seed})`, () => {
    const world = createWorld(map, seed);
    const draw = drawsOf(seed);
    const log: WorldEvent[] = [];
    let restored: WorldState | null = null;
    for (let round = 0; round < STEPS / 50; round += 1) {
      const seen = (event: WorldEvent): void => {
        log.push(event);
        wakesOf(world, event);
        if (restored !== null) reduce(restored, event);
      };
      const tick = runRandomly(world, { draw, steps: 50, seen });
      assertSound(world, tick);
      if (round % 10 === 5) restored = restoreWorld(map, snapshotWorld(world));
      if (restored !== null)
        assert.equal(stateHash(restored), stateHash(world), `restored world differs at seq ${world.seq}`);
    }
    const replayed = createWorld(map, seed);
    for (const event of log) reduce(replayed, event);
    assert.deepEqual(snapshotWorld(replayed), snapshotWorld(world));
    assert.ok(
      log.every((event) => WorldEvent.safeParse(event).success),
      'every event matches the contract',
    );
    assert.deepEqual(
      log.map((event) => event.seq),
      log.map((_, index) => index + 1),
    );
  });

  test(`a restored world continues like the original (seed ${seed})`, () => {
    const first = createWorld(map, seed);
    runRandomly(first, { draw: drawsOf(seed), steps: 500, seen: () => undefined });
    const second = restoreWorld(map, snapshotWorld(first));
    for (const world of [first, second])
      runRandomly(world, { draw: drawsOf(seed + 1), steps: 300, seen: () => undefined });
    assert.equal(stateHash(second), stateHash(first));
  });

  test(`unpacked moves, arrivals and emotes equal the packed ones (seed ${seed})`, () => {
    const world = createWorld(map, seed);
    const packed: WorldEvent[] = [];
    const kinds: readonly string[] = GROUP_COMMITTED_EVENTS;
    runRandomly(world, {
      draw: drawsOf(seed),
      steps: 1500,
      seen: (event) => kinds.includes(event.kind) && packed.push(event),
    });
    const bytes = encodeEvents(packed);
    assert.deepEqual(decodeEvents(bytes), packed);
    assert.ok(bytes.length < packed.length * 24, `${bytes.length} bytes for ${packed.length} events`);
  });
}

test('a halt ends each walk at its next tile, once, and keeps the invariants', () => {
  const world = createWorld(map, 7);
  const tick = runRandomly(world, { draw: drawsOf(7), steps: 400, seen: () => undefined });
  advance(world, tick);
  const walking = aliveSlots(world).filter((slot) => isMoving(world, slot, tick));
  assert.ok(walking.length > 0);
  assert.equal(halt(world, tick).length, walking.length);
  for (const slot of walking) assert.ok(arrivalTick(walkOf(world, slot)) - tick <= 8);
  assertSound(world, tick);
  advance(world, tick + 8);
  assert.deepEqual(halt(world, tick + 8), []);
});

test('an agent moves at most a quarter of a tile per tick, and always along a line between two tiles', () => {
  const world = createWorld(map, 5);
  const draw = drawsOf(5);
  const act = (tick: number, command: WorldCommand): void => {
    const outcome = validateCommand(world, command, tick);
    for (const event of outcome.ok ? outcome.events : []) reduce(world, event);
  };
  act(0, { kind: 'spawn', agent_id: 'ada', display_name: 'Ada', tier: 0, awake: true, online: true });
  let was = exactPositionAt(world, 0, 0);
  for (let tick = 1; tick < 6000; tick += 1) {
    advance(world, tick);
    if (draw(9) === 0) act(tick, { kind: 'move', agent_id: 'ada', target: { dx: draw(20) - 10, dy: draw(20) - 10 } });
    if (draw(200) === 0)
      act(tick, {
        kind: 'move',
        agent_id: 'ada',
        target: { landmark_id: map.landmarks[draw(20)]?.landmark_id ?? 'cafe' },
      });
    const is = exactPositionAt(world, 0, tick);
    assert.ok(Number.isInteger(is.x) || Number.isInteger(is.y));
    assert.ok(Math.abs(is.x - was.x) + Math.abs(is.y - was.y) <= 0.25, `jumped at tick ${tick}`);
    was = is;
  }
});

test('the position of walking and standing agents is correct at every tick', () => {
  const world = createWorld(map, 1);
  reduce(world, {
    seq: 1,
    tick: 10,
    kind: 'spawn',
    agent_id: 'ada',
    display_name: 'Ada',
    home: 'home-elm',
    x: 70,
    y: 62,
    tier: 0,
    awake: true,
    online: true,
  });
  const move = { kind: 'move', agent_id: 'ada', lead: 0, landmark_id: null } as const;
  reduce(world, {
    ...move,
    seq: 2,
    tick: 10,
    from: { x: 70, y: 62 },
    to: { x: 73, y: 62 },
    start_tick: 10,
    arrives_tick: 22,
  });
  assert.deepEqual(
    [10, 13, 14, 22, 90].map((tick) => positionAt(world, 0, tick).x),
    [70, 70, 71, 73, 73],
  );
  assert.deepEqual(
    [10, 11, 13, 21, 22].map((tick) => exactPositionAt(world, 0, tick).x),
    [70, 70.25, 70.75, 72.75, 73],
  );
  assert.deepEqual(
    [21, 22].map((tick) => isMoving(world, 0, tick)),
    [true, false],
  );
  reduce(world, {
    ...move,
    seq: 3,
    tick: 15,
    lead: 2,
    from: { x: 72, y: 62 },
    to: { x: 72, y: 60 },
    start_tick: 18,
    arrives_tick: 26,
  });
  assert.deepEqual(
    [15, 17, 18, 20].map((tick) => exactPositionAt(world, 0, tick)),
    [
      { x: 71.25, y: 62 },
      { x: 71.75, y: 62 },
      { x: 72, y: 62 },
      { x: 72, y: 61.5 },
    ],
  );
});

test('an event out of order or from another world throws', () => {
  const world = createWorld(map, 1);
  assert.throws(() => reduce(world, { seq: 2, tick: 0, kind: 'despawn', agent_id: 'ada' }), /does not follow/);
  assert.throws(() => reduce(world, { seq: 1, tick: 0, kind: 'despawn', agent_id: 'ada' }), /not in the world/);
  assert.throws(() => restoreWorld(map, new Uint8Array(16)), /not a snapshot/);
  assert.throws(() => restoreWorld({ ...map, version: 'other' }, snapshotWorld(world)), /made on map/);
});
