import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TERRAINS } from '@hamlet/contract';
import { createTileMap, findBuildings, surfaceAt, tileKind } from './tile-map.ts';

const LEGEND = ['grass', 'wall', 'wood_floor', 'table', 'road', 'door'];
/** A house of 5 × 4 on grass, with a table in it, a door in its wall and a road in front of it. Another wall tile is alone. */
const ROWS = ['0000000001', '0111110000', '0123210000', '0122210000', '0115110000', '0004000000'];
const map = createTileMap({ width: 10, height: 6 }, Uint8Array.from(ROWS.join(''), Number), LEGEND);

test('every terrain of the contract can be drawn, and unknown names become grass', () => {
  assert.deepEqual(TERRAINS.map(tileKind), [...TERRAINS]);
  assert.equal(tileKind('lava'), 'grass');
});

test('adjacent indoor tiles form a house, a single wall does not', () => {
  const houses = findBuildings(map);
  assert.deepEqual(
    houses.map((house) => house.rect),
    [{ x: 1, y: 1, width: 5, height: 4 }],
  );
});

test('furniture is drawn on the ground around it', () => {
  assert.equal(surfaceAt(map, 3, 2), 'wood_floor');
});

test('beyond the edge of the map forest is drawn, but roads continue', () => {
  const kinds = new Set(Array.from({ length: 60 }, (_, x) => map.at(x, -4)));
  assert.ok(kinds.has('tree') && !kinds.has('wall'));
  assert.equal(map.at(3, 40), 'road');
});
