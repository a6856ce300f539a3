import type { Landmark } from '@hamlet/contract';
import { paintBuilding, row } from './building.ts';
import { type Painter, rect } from '../painter.ts';

function paintCafe(painter: Painter): Landmark {
  paintBuilding(painter, {
    ...rect([42, 48, 13, 11]),
    floor: 'wood_floor',
    door: { x: 54, y: 55 },
    furniture: [
      { terrain: 'counter', x: 1, y: 1, width: 6 },
      { terrain: 'counter', x: 8, y: 0, height: 3 },
      ...[1, 5].flatMap((x) => [
        { terrain: 'table' as const, x, y: 4 },
        { terrain: 'table' as const, x, y: 7 },
      ]),
      { terrain: 'rug', x: 8, y: 5, width: 2, height: 3 },
    ],
  });
  painter.fill({ x: 55, y: 54, width: 2, height: 3 }, 'plaza');
  return {
    landmark_id: 'cafe',
    name: 'Café Hearth',
    kind: 'cafe',
    position: { x: 54, y: 55 },
    slots: [
      ...row({ x: 44, y: 51 }, 3, { x: 2, y: 0 }),
      ...[43, 45, 47, 49].flatMap((x) => [
        { x, y: 53 },
        { x, y: 56 },
      ]),
    ],
    affordances: ['coffee', 'sit', 'meet'],
  };
}

function paintBakery(painter: Painter): Landmark {
  paintBuilding(painter, {
    ...rect([42, 68, 11, 8]),
    floor: 'floor',
    door: { x: 47, y: 68 },
    furniture: [
      { terrain: 'counter', x: 1, y: 2, width: 7 },
      { terrain: 'workbench', x: 1, y: 5, width: 3 },
      { terrain: 'stall', x: 5, y: 5, width: 3 },
    ],
  });
  painter.fill({ x: 46, y: 65, width: 3, height: 3 }, 'road');
  return {
    landmark_id: 'bakery',
    name: 'Bakery',
    kind: 'bakery',
    position: { x: 47, y: 68 },
    slots: row({ x: 43, y: 70 }, 5, { x: 2, y: 0 }),
    affordances: ['bread'],
  };
}

function paintLibrary(painter: Painter): Landmark {
  paintBuilding(painter, {
    ...rect([52, 34, 15, 12]),
    floor: 'wood_floor',
    door: { x: 61, y: 45 },
    furniture: [
      ...[1, 4, 7, 10].map((x) => ({ terrain: 'bookshelf' as const, x, y: 1, height: 4 })),
      { terrain: 'table', x: 1, y: 7, width: 3 },
      { terrain: 'table', x: 10, y: 7, width: 2 },
      { terrain: 'rug', x: 6, y: 7, width: 3, height: 2 },
    ],
  });
  painter.fill({ x: 60, y: 46, width: 3, height: 7 }, 'road');
  return {
    landmark_id: 'library',
    name: 'Library',
    kind: 'library',
    position: { x: 61, y: 45 },
    slots: [
      ...[54, 57, 60, 63].map((x) => ({ x: x + 1, y: 37 })),
      ...row({ x: 54, y: 43 }, 3, { x: 1, y: 0 }),
      { x: 63, y: 43 },
      { x: 64, y: 43 },
    ],
    affordances: ['read', 'sit'],
  };
}

function paintHall(painter: Painter): Landmark {
  paintBuilding(painter, {
    ...rect([77, 38, 15, 11]),
    floor: 'floor',
    door: { x: 84, y: 48 },
    furniture: [
      { terrain: 'table', x: 3, y: 3, width: 7, height: 2 },
      { terrain: 'rug', x: 5, y: 7, width: 3, height: 2 },
    ],
  });
  painter.fill({ x: 83, y: 49, width: 3, height: 4 }, 'road');
  return {
    landmark_id: 'hall',
    name: 'Town Hall',
    kind: 'hall',
    position: { x: 84, y: 48 },
    slots: [
      ...row({ x: 81, y: 41 }, 4, { x: 2, y: 0 }),
      ...row({ x: 81, y: 44 }, 4, { x: 2, y: 0 }),
      { x: 80, y: 42 },
      { x: 88, y: 43 },
    ],
    affordances: ['meet', 'sit'],
  };
}

/** The laboratory is behind a wall inside the workshop. */
function paintWorkshop(painter: Painter): Landmark[] {
  paintBuilding(painter, {
    ...rect([90, 51, 21, 10]),
    floor: 'floor',
    door: { x: 96, y: 60 },
    furniture: [
      ...[1, 4, 7].flatMap((x) => [
        { terrain: 'workbench' as const, x, y: 1, width: 2 },
        { terrain: 'workbench' as const, x, y: 5, width: 2 },
      ]),
      { terrain: 'wall', x: 11, y: 0, height: 8 },
      { terrain: 'door', x: 11, y: 3 },
      { terrain: 'counter', x: 13, y: 1, width: 5 },
      { terrain: 'workbench', x: 13, y: 5, width: 5 },
    ],
  });
  painter.fill({ x: 95, y: 61, width: 3, height: 1 }, 'road');
  return [
    {
      landmark_id: 'workshop',
      name: 'Workshop',
      kind: 'workshop',
      position: { x: 96, y: 60 },
      slots: [92, 95, 98].flatMap((x) => [
        { x, y: 54 },
        { x, y: 55 },
        { x, y: 58 },
      ]),
      affordances: ['craft'],
    },
    {
      landmark_id: 'laboratory',
      name: 'Laboratory',
      kind: 'workshop',
      position: { x: 102, y: 55 },
      slots: row({ x: 104, y: 54 }, 5, { x: 1, y: 0 }),
      affordances: ['craft', 'read'],
      unlocked_by: 'tier-1',
    },
  ];
}

export function paintWorkplaces(painter: Painter): Landmark[] {
  return [
    paintCafe(painter),
    paintBakery(painter),
    paintLibrary(painter),
    paintHall(painter),
    ...paintWorkshop(painter),
  ];
}
