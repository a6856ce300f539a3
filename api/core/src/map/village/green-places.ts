import type { Landmark } from '@hamlet/contract';
import { paintBuilding, row, tiles } from './building.ts';
import { type Painter, rect } from '../painter.ts';

function paintGarden(painter: Painter): Landmark {
  painter.fill({ x: 8, y: 78, width: 18, height: 19 }, 'grass');
  painter.frame({ x: 7, y: 77, width: 19, height: 21 }, 'fence');
  for (const y of [80, 83, 86, 89, 92]) {
    painter.fill({ x: 10, y, width: 13, height: 1 }, 'crop');
    painter.fill({ x: 10, y: y + 1, width: 13, height: 1 }, 'soil');
  }
  painter.fill({ x: 25, y: 87, width: 1, height: 2 }, 'road');
  return {
    landmark_id: 'garden',
    name: 'Kitchen Garden',
    kind: 'garden',
    position: { x: 24, y: 88 },
    slots: [81, 84, 87, 90, 93].flatMap((y) => [
      { x: 12, y },
      { x: 19, y },
    ]),
    affordances: ['tend'],
  };
}

function paintPondBank(painter: Painter): Landmark[] {
  painter.fill({ x: 27, y: 28, width: 9, height: 2 }, 'bridge');
  return [
    {
      landmark_id: 'pond',
      name: 'Mill Pond',
      kind: 'pond',
      position: { x: 24, y: 38 },
      slots: row({ x: 20, y: 38 }, 6, { x: 1, y: 0 }),
      affordances: ['sit', 'rest', 'water'],
    },
    {
      landmark_id: 'dock',
      name: 'Fishing Dock',
      kind: 'dock',
      position: { x: 33, y: 28 },
      slots: tiles([27, 28, 27, 29, 29, 28, 29, 29, 31, 28, 31, 29]),
      affordances: ['fish', 'sit'],
    },
  ];
}

function paintForest(painter: Painter): Landmark[] {
  painter.ellipse({ x: 142, y: 36 }, { x: 6, y: 5 }, 'meadow');
  painter.fill({ x: 142, y: 25, width: 2, height: 8 }, 'road');
  painter.ellipse({ x: 150, y: 9 }, { x: 8, y: 7 }, 'grass');
  painter.scatter({ x: 142, y: 2, width: 16, height: 14 }, { terrain: 'stone', onto: 'grass', percent: 8, salt: 31 });
  painter.fill({ x: 150, y: 13, width: 2, height: 3 }, 'road');
  paintBuilding(painter, {
    ...rect([145, 5, 11, 8]),
    floor: 'floor',
    door: { x: 150, y: 12 },
    furniture: [
      { terrain: 'workbench', x: 4, y: 2 },
      { terrain: 'bookshelf', x: 0, y: 0, width: 3 },
      { terrain: 'rug', x: 3, y: 3, width: 3 },
    ],
  });
  return [
    {
      landmark_id: 'forest',
      name: 'Forest Clearing',
      kind: 'forest',
      position: { x: 142, y: 36 },
      slots: tiles([138, 36, 139, 34, 142, 33, 145, 34, 146, 36, 145, 38, 142, 39, 139, 38]),
      affordances: ['gather_wood', 'rest'],
    },
    {
      landmark_id: 'observatory',
      name: 'Observatory',
      kind: 'observatory',
      position: { x: 150, y: 12 },
      slots: tiles([149, 8, 151, 8, 149, 10, 152, 10]),
      affordances: ['stargaze', 'read'],
      unlocked_by: 'tier-2',
    },
  ];
}

function paintOrchard(painter: Painter): Landmark {
  painter.fill({ x: 127, y: 83, width: 20, height: 14 }, 'grass');
  for (const y of [85, 88, 91, 94]) for (const x of [129, 132, 135, 139, 142, 145]) painter.set(x, y, 'tree');
  painter.fill({ x: 136, y: 83, width: 2, height: 14 }, 'road');
  return {
    landmark_id: 'orchard',
    name: 'Apple Orchard',
    kind: 'orchard',
    position: { x: 137, y: 90 },
    slots: [86, 89, 92].flatMap((y) => [
      { x: 130, y },
      { x: 133, y },
      { x: 140, y },
      { x: 143, y },
    ]),
    affordances: ['tend', 'rest'],
  };
}

function paintMeadow(painter: Painter): Landmark {
  painter.fill({ x: 137, y: 74, width: 2, height: 1 }, 'road');
  return {
    landmark_id: 'meadow',
    name: 'East Meadow',
    kind: 'hill',
    position: { x: 136, y: 72 },
    slots: [...row({ x: 130, y: 72 }, 3, { x: 2, y: 0 }), ...row({ x: 139, y: 72 }, 3, { x: 2, y: 0 })],
    affordances: ['sit', 'rest'],
  };
}

export function paintGreenPlaces(painter: Painter): Landmark[] {
  return [
    paintGarden(painter),
    ...paintPondBank(painter),
    ...paintForest(painter),
    paintOrchard(painter),
    paintMeadow(painter),
  ];
}
