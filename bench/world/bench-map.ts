import type { Landmark } from '@hamlet/contract';
import { buildMap, drawBelow } from '@hamlet/core';
import type { WorldMap } from '@hamlet/core';
import { Painter } from '@hamlet/core';

const BLOCK = 25;
const HOUSE = { width: 6, height: 5 } as const;
const SLOTS = 4;

/** A town map of any size: a grid of roads, and in each block a house of five by six tiles, a few trees and a resting place. */
export function benchMap(side: number): WorldMap {
  const painter = new Painter(side, side);
  const landmarks: Landmark[] = [];
  for (let top = 0; top < side; top += BLOCK) {
    painter.fill({ x: 0, y: top, width: side, height: 2 }, 'road');
    painter.fill({ x: top, y: 0, width: 2, height: side }, 'road');
  }
  for (let top = 0; top + BLOCK <= side; top += BLOCK) {
    for (let left = 0; left + BLOCK <= side; left += BLOCK) landmarks.push(paintBlock(painter, left, top));
  }
  return buildMap({ width: side, height: side, terrain: painter.terrain, landmarks, zones: [] });
}

function paintBlock(painter: Painter, left: number, top: number): Landmark {
  const x = left + 4 + drawBelow(12, left, top, 1);
  const y = top + 4 + drawBelow(12, left, top, 2);
  painter.frame({ x, y, ...HOUSE }, 'wall');
  painter.fill({ x: x + 1, y: y + 1, width: HOUSE.width - 2, height: HOUSE.height - 2 }, 'floor');
  painter.set(x + 2, y + HOUSE.height - 1, 'door');
  for (let tree = 0; tree < 6; tree += 1) {
    const place = {
      x: left + 3 + drawBelow(BLOCK - 4, left, top, tree, 3),
      y: top + 3 + drawBelow(BLOCK - 4, left, top, tree, 4),
    };
    if (painter.is(place.x, place.y, 'grass')) painter.set(place.x, place.y, 'tree');
  }
  const slots = Array.from({ length: SLOTS }, (_, index) => ({ x: x + 1 + index, y: y + 1 }));
  return {
    landmark_id: `house-${left}-${top}`,
    name: 'House',
    kind: 'waypoint',
    position: { x: x + 2, y: y + HOUSE.height },
    slots,
    affordances: ['rest'],
  };
}
