import { type Painter, rect } from '../painter.ts';

export const VILLAGE_WIDTH = 160;
export const VILLAGE_HEIGHT = 128;

/** The x of the river's west bank, at every eighth row. The river bends, so that no two bridges look alike. */
const RIVER_BENDS = [116, 117, 118, 119, 119, 119, 118, 117, 116, 115, 114, 113, 113, 113, 114, 115] as const;
const RIVER_WIDTH = 6;
const ROWS_PER_BEND = 8;

function paintMeadows(painter: Painter): void {
  const all = { x: 0, y: 0, width: VILLAGE_WIDTH, height: VILLAGE_HEIGHT };
  painter.ellipse({ x: 22, y: 54 }, { x: 17, y: 6 }, 'meadow');
  painter.ellipse({ x: 136, y: 74 }, { x: 15, y: 6 }, 'meadow');
  painter.ellipse({ x: 60, y: 116 }, { x: 34, y: 7 }, 'meadow');
  painter.scatter(all, { terrain: 'flowers', onto: 'meadow', percent: 18, salt: 11 });
  painter.scatter(all, { terrain: 'flowers', onto: 'grass', percent: 1, salt: 12 });
}

function paintWoods(painter: Painter): void {
  const east = { x: 126, y: 0, width: 34, height: 56 };
  painter.scatter(east, { terrain: 'pine', onto: 'grass', percent: 30, salt: 21 });
  painter.scatter(east, { terrain: 'bush', onto: 'grass', percent: 4, salt: 22 });
  painter.scatter(rect([0, 0, VILLAGE_WIDTH, 8]), { terrain: 'pine', onto: 'grass', percent: 34, salt: 23 });
  painter.scatter(rect([0, 0, 7, VILLAGE_HEIGHT]), { terrain: 'tree', onto: 'grass', percent: 34, salt: 24 });
  painter.scatter(rect([0, 120, VILLAGE_WIDTH, 8]), { terrain: 'tree', onto: 'grass', percent: 34, salt: 25 });
  painter.scatter({ x: 150, y: 56, width: 10, height: 72 }, { terrain: 'tree', onto: 'grass', percent: 30, salt: 26 });
  painter.scatter(rect([0, 0, VILLAGE_WIDTH, VILLAGE_HEIGHT]), {
    terrain: 'tree',
    onto: 'grass',
    percent: 3,
    salt: 27,
  });
}

function paintRiver(painter: Painter): void {
  for (let y = 0; y < VILLAGE_HEIGHT; y += 1) {
    const bend = y / ROWS_PER_BEND;
    const here = RIVER_BENDS[Math.floor(bend)] ?? 115;
    const next = RIVER_BENDS[Math.floor(bend) + 1] ?? here;
    const bank = here + Math.floor((next - here) * (bend - Math.floor(bend)));
    painter.fill({ x: bank - 1, y, width: RIVER_WIDTH + 2, height: 1 }, 'sand');
    painter.fill({ x: bank, y, width: RIVER_WIDTH, height: 1 }, 'water');
    painter.fill({ x: bank + 2, y, width: RIVER_WIDTH - 4, height: 1 }, 'deep_water');
  }
}

function paintPond(painter: Painter): void {
  painter.ellipse({ x: 22, y: 28 }, { x: 11, y: 9 }, 'sand');
  painter.ellipse({ x: 22, y: 28 }, { x: 10, y: 8 }, 'water');
  painter.ellipse({ x: 22, y: 28 }, { x: 7, y: 5 }, 'deep_water');
}

/** A road tile on water becomes a bridge. */
const ROADS = [
  { x: 4, y: 62, width: 150, height: 3 }, // the high road, west to east
  { x: 70, y: 24, width: 3, height: 78 }, // the long street, north to south
  { x: 36, y: 24, width: 106, height: 2 }, // north lane, from the pond over the river into the forest
  { x: 8, y: 100, width: 138, height: 2 }, // south lane, from the garden over the river to the orchard
  { x: 24, y: 40, width: 2, height: 22 }, // to the pond
  { x: 34, y: 26, width: 2, height: 15 },
  { x: 24, y: 39, width: 12, height: 2 },
  { x: 26, y: 65, width: 2, height: 35 }, // to the garden
  { x: 136, y: 96, width: 2, height: 5 }, // to the orchard
  { x: 136, y: 65, width: 2, height: 18 },
  { x: 142, y: 25, width: 2, height: 8 }, // to the clearing
  { x: 150, y: 14, width: 2, height: 12 }, // to the observatory
  { x: 142, y: 24, width: 10, height: 2 },
] as const;

function paintRoads(painter: Painter): void {
  for (const road of ROADS) {
    for (let y = road.y; y < road.y + road.height; y += 1) {
      for (let x = road.x; x < road.x + road.width; x += 1) {
        const wet = painter.is(x, y, 'water') || painter.is(x, y, 'deep_water') || painter.is(x, y, 'bridge');
        painter.set(x, y, wet ? 'bridge' : 'road');
      }
    }
  }
}

export function paintGround(painter: Painter): void {
  paintMeadows(painter);
  paintWoods(painter);
  paintRiver(painter);
  paintPond(painter);
  paintRoads(painter);
}
