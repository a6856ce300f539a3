import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Landmark, MapResponse, Zone } from '@hamlet/contract';
import { defaultMap } from './default-map.ts';
import { tileIndex, walkTiles } from '../path-tiles.ts';
import { rankOf } from '../places.ts';
import { hashText, hashToHex } from '../../bytes/hash.ts';
import { drawBelow } from '../../bytes/prng.ts';
import { mapResponse } from '../world-map.ts';

const map = defaultMap();

test('the default map is large enough and always the same', () => {
  assert.ok(map.width >= 128 && map.height >= 128);
  assert.ok(map.landmarks.length >= 12);
  assert.ok(map.slots.length >= 60);
  const homes = map.landmarks.filter((landmark) => landmark.affordances.includes('sleep'));
  assert.ok(homes.reduce((beds, home) => beds + home.slots.length, 0) >= 24);
  assert.equal(defaultMap().version, map.version);
  assert.ok(map.landmarks.every((landmark) => Landmark.safeParse(landmark).success));
  assert.ok(map.zones.every((zone) => Zone.safeParse(zone).success));
  assert.ok(MapResponse.safeParse(mapResponse(map)).success);
});

test('every slot has its own walkable tile that is reachable from the square', () => {
  const square = tileIndex(map, { x: 71, y: 61 });
  assert.equal(new Set(map.slots.map(({ tile }) => tile)).size, map.slots.length);
  for (const { landmark, tile } of map.slots) {
    const name = `${map.landmarks[landmark]?.landmark_id} at ${tile % map.width},${Math.floor(tile / map.width)}`;
    assert.equal(map.walkable[tile], 1, `${name} can be stood on`);
    assert.notEqual(walkTiles(map, square, tile), null, `${name} is reachable`);
  }
});

test('no path between open places leads through a locked zone', () => {
  const locked = new Set(map.zones.flatMap((zone, index) => (zone.unlocked_by === undefined ? [] : [index + 1])));
  const open = map.slots.filter(({ landmark }) => rankOf(map.landmarks[landmark]?.unlocked_by) === 0);
  const firsts = open.filter((slot, index) => open[index - 1]?.landmark !== slot.landmark);
  for (const from of firsts) {
    for (const to of firsts) {
      const crossed = walkTiles(map, from.tile, to.tile)?.some((tile) => locked.has(map.zoneOf[tile] ?? 0));
      assert.equal(crossed, false);
    }
  }
});

test('a landmark that needs a tier is entirely in a zone that needs the same tier', () => {
  for (const { landmark, tile } of map.slots) {
    const zone = map.zones[(map.zoneOf[tile] ?? 0) - 1];
    assert.equal(rankOf(zone?.unlocked_by), rankOf(map.landmarks[landmark]?.unlocked_by));
  }
});

test('the walks of the village are the same in every release, because saved paths replay on them', () => {
  let [hash, walks] = [0, 0];
  for (let number = 0; number < 3_000; number += 1) {
    const [from, to] = [
      drawBelow(map.stepCost.length, 5, number, 1),
      number % 3 === 0
        ? (map.slots[drawBelow(map.slots.length, 5, number, 2)]?.tile ?? 0)
        : drawBelow(map.stepCost.length, 5, number, 2),
    ];
    const walk = walkTiles(map, from, to);
    if (walk === null) continue;
    walks += 1;
    hash = hashText(walk.join(), hash);
  }
  assert.deepEqual(
    [map.version, walks, hashToHex(hash)],
    ['e5cf52ab', 2044, 'b085cb2b'],
    'a change of map, search or step cost makes a new map for every saved world: give it its own version (docs/adr/0017)',
  );
});
