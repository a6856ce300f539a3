import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Landmark } from '@hamlet/contract';
import { drawBelow } from '../bytes/prng.ts';
import { STEP_X, STEP_Y } from './directions.ts';
import { flowField, neighbour, NO_WAY } from './flow-field.ts';
import { terrainCode } from './terrain.ts';
import { buildMap, type WorldMap } from './world-map.ts';

const TERRAINS = ['grass', 'road', 'flowers', 'crop', 'water'] as const;

function randomMap(seed: number, width: number, height: number): WorldMap {
  const terrain = Uint8Array.from({ length: width * height }, (_, tile) =>
    terrainCode(tile === 0 ? 'grass' : (TERRAINS[drawBelow(TERRAINS.length, seed, tile)] ?? 'grass')),
  );
  const landmark: Landmark = {
    landmark_id: 'corner',
    name: 'Corner',
    kind: 'waypoint',
    position: { x: 0, y: 0 },
    slots: [{ x: 0, y: 0 }],
    affordances: [],
  };
  return buildMap({ width, height, terrain, landmarks: [landmark], zones: [] });
}

test('a tile has no neighbours outside the map or on unwalkable tiles', () => {
  const map = buildMap({
    width: 3,
    height: 2,
    terrain: new Uint8Array(6).fill(terrainCode('grass')),
    landmarks: [],
    zones: [],
  });
  const around = (tile: number): number[] => [1, 2, 3, 4].map((direction) => neighbour(map, tile, direction));
  assert.deepEqual(around(0), [-1, 1, 3, -1]);
  assert.deepEqual(around(1), [-1, 2, 4, 0]);
  assert.deepEqual(around(2), [-1, -1, 5, 1]);
  assert.deepEqual(around(3), [0, 4, -1, -1]);
  assert.deepEqual(around(5), [2, -1, -1, 4]);
  const walled = buildMap({
    width: 3,
    height: 2,
    terrain: Uint8Array.from(['grass', 'wall', 'grass', 'grass', 'grass', 'grass'] as const, terrainCode),
    landmarks: [],
    zones: [],
  });
  assert.equal(neighbour(walled, 0, 2), -1);
});

/** The cost of the cheapest path from a tile, from the costs of its neighbours. */
function costFrom(map: WorldMap, tile: number, costs: readonly number[]): number {
  const next = [1, 2, 3, 4].map((direction) => neighbour(map, tile, direction)).filter((beside) => beside >= 0);
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...next.map((beside) => (costs[beside] ?? 0) + (map.stepCost[beside] ?? 0)),
  );
}

/** The cost from every tile to tile 0, by repeated passes until no cost improves. */
function costsTo0(map: WorldMap): number[] {
  let costs = Array.from({ length: map.stepCost.length }, (_, tile) => (tile === 0 ? 0 : Number.POSITIVE_INFINITY));
  for (let changed = true; changed;) {
    const better = costs.map((cost, tile) =>
      map.walkable[tile] === 1 ? Math.min(cost, costFrom(map, tile, costs)) : cost,
    );
    changed = better.some((cost, tile) => cost !== costs[tile]);
    costs = better;
  }
  return costs;
}

test('the field leads along a cheapest path from every tile of random maps', () => {
  for (let seed = 1; seed <= 25; seed += 1) {
    const map = randomMap(seed, 12, 9);
    const field = flowField(map, 0);
    for (const [start, cheapest] of costsTo0(map).entries()) {
      assert.equal(field[start] === NO_WAY, cheapest === Number.POSITIVE_INFINITY, `seed ${seed}, tile ${start}`);
      let paid = 0;
      for (let tile = start; field[tile] !== 0 && field[tile] !== NO_WAY;) {
        tile += (STEP_X[field[tile] ?? 0] ?? 0) + (STEP_Y[field[tile] ?? 0] ?? 0) * map.width;
        paid += map.stepCost[tile] ?? 0;
      }
      if (cheapest !== Number.POSITIVE_INFINITY) assert.equal(paid, cheapest, `seed ${seed}, tile ${start}`);
    }
  }
});

function along(map: WorldMap, field: Uint8Array, start: number): number[] {
  const tiles = [start];
  for (let tile = start; field[tile] !== 0 && field[tile] !== NO_WAY;) {
    tile += (STEP_X[field[tile] ?? 0] ?? 0) + (STEP_Y[field[tile] ?? 0] ?? 0) * map.width;
    tiles.push(tile);
  }
  return tiles;
}

test('a partial field for one walk gives the same path as the whole field, also for the next walk', () => {
  for (let seed = 1; seed <= 25; seed += 1) {
    const whole = randomMap(seed, 12, 9);
    for (const [start] of whole.stepCost.entries()) {
      const map = randomMap(seed, 12, 9);
      assert.deepEqual(
        along(map, flowField(map, 0, start), start),
        along(whole, flowField(whole, 0), start),
        `seed ${seed}, tile ${start}`,
      );
      const next = drawBelow(map.stepCost.length, seed, start, 1);
      assert.deepEqual(
        along(map, flowField(map, 0, next), next),
        along(whole, flowField(whole, 0), next),
        `seed ${seed}, tile ${start}, then ${next}`,
      );
    }
  }
});
