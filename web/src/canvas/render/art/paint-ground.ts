import type { TileRect } from '../../model/camera.ts';
import { hash2, smoothNoise } from '../../model/noise.ts';
import { surfaceAt, type TileKind, type TileMap } from '../../model/tile-map.ts';
import { disc, fillBox, fillEllipse } from './shapes.ts';

/** A canvas in tile units, and the part of the map on it. Below 16 pixels a tile (`scale`) it has no details. */
export type Brush = Readonly<{ ctx: CanvasRenderingContext2D; map: TileMap; rect: TileRect; scale: number }>;

export const COLOUR = {
  grass: '#93c572',
  grassLight: '#9dcc7b',
  grassDark: '#8abd6b',
  forest: '#7bae62',
  tuft: 'rgba(66,112,52,0.45)',
  sand: '#ecdcae',
  wetSand: '#d9c894',
  foam: 'rgba(255,255,255,0.75)',
  water: '#6cbfdd',
  deep: '#58aed2',
  ripple: 'rgba(255,255,255,0.4)',
  roadEdge: '#c3a878',
  road: '#dcc497',
  pebble: 'rgba(140,112,70,0.35)',
  plazaEdge: '#b3ab9c',
  plaza: '#d9d3c6',
  paving: 'rgba(120,112,98,0.28)',
  soil: '#a87f55',
  furrow: 'rgba(94,62,34,0.35)',
  crop: '#7fae4a',
  plank: '#b98a58',
  plankLine: 'rgba(80,50,24,0.45)',
} as const;
const PETALS = ['#fdf3f0', '#f7d154', '#f08bb0', '#b79bf0', '#ff9d6b'] as const;

const WOODS: ReadonlySet<TileKind> = new Set(['tree', 'pine']);
const OPEN: ReadonlySet<TileKind> = new Set(['grass', 'meadow', 'flowers']);
const BLOSSOM: Partial<Record<TileKind, number>> = { grass: 0.05, meadow: 0.3, flowers: 1 };

export function paintGround(brush: Brush): void {
  const { ctx, map, rect } = brush;
  fillBox(ctx, COLOUR.grass, [rect.x - 1, rect.y - 1, rect.width + 2, rect.height + 2]);
  paintPatches(brush);
  fillArea(brush, (x, y) => WOODS.has(map.at(x, y)), { grow: 0.3, colour: COLOUR.forest });
  if (brush.scale >= 16) paintGrowth(brush);
  paintFields(brush);
  paintWater(brush);
  paintPaving(brush);
  paintBridges(brush);
}

function paintPatches(brush: Brush): void {
  const { ctx, rect } = brush;
  for (let y = rect.y - PATCH_REACH; y < rect.y + rect.height + PATCH_REACH; y++) {
    for (let x = rect.x - PATCH_REACH; x < rect.x + rect.width + PATCH_REACH; x++) {
      if (hash2(x, y, 140) > 0.3) continue;
      const noise = smoothNoise(x, y, { scale: 8, salt: 3 });
      if (noise > 0.4 && noise < 0.6) continue;
      const colour = noise >= 0.6 ? COLOUR.grassLight : COLOUR.grassDark;
      const wide = 0.9 + hash2(x, y, 141) * 1.5;
      const high = wide * (0.5 + hash2(x, y, 144) * 0.4);
      const tilt = hash2(x, y, 145) * 0.6 - 0.3;
      fillEllipse(ctx, colour, [x + hash2(x, y, 142), y + hash2(x, y, 143), wide, high, tilt]);
    }
  }
}
/** The farthest that an oval extends from its tile, in tiles. */
const PATCH_REACH = 3;

function fillArea(brush: Brush, test: TileTest, look: { readonly grow: number; readonly colour: string }): void {
  brush.ctx.fillStyle = look.colour;
  brush.ctx.fill(blobPath(test, brush.rect, look.grow));
}

/** Calls `paint` for every wanted tile in the rectangle of the brush and in the ring of tiles around it. */
export function eachTile(brush: Brush, wanted: TileTest, paint: (x: number, y: number) => void): void {
  const { rect } = brush;
  for (let y = rect.y - 1; y <= rect.y + rect.height; y++) {
    for (let x = rect.x - 1; x <= rect.x + rect.width; x++) if (wanted(x, y)) paint(x, y);
  }
}

/** Calls `paint` for every tile of these kinds, in the same part as {@link eachTile}. */
export function eachOf(brush: Brush, kinds: ReadonlySet<TileKind>, paint: (x: number, y: number) => void): void {
  eachTile(brush, (x, y) => kinds.has(brush.map.at(x, y)), paint);
}

function paintGrowth(brush: Brush): void {
  const { ctx, map } = brush;
  const open: TileTest = (x, y) => OPEN.has(map.at(x, y));
  ctx.strokeStyle = COLOUR.tuft;
  ctx.lineWidth = 0.05;
  ctx.lineCap = 'round';
  ctx.beginPath();
  eachTile(
    brush,
    (x, y) => open(x, y) && hash2(x, y, 1) < 0.42,
    (x, y) => addTuft(ctx, x + 0.15 + hash2(x, y, 2) * 0.7, y + 0.25 + hash2(x, y, 4) * 0.65),
  );
  ctx.stroke();
  eachTile(
    brush,
    (x, y) => open(x, y) && hash2(x, y, 5) < (BLOSSOM[map.at(x, y)] ?? 0),
    (x, y) => paintFlowers(ctx, x, y),
  );
}

function addTuft(ctx: CanvasRenderingContext2D, x: number, y: number): void {
  for (const lean of [-0.09, 0, 0.09]) {
    ctx.moveTo(x + lean * 0.5, y);
    ctx.lineTo(x + lean, y - 0.14 + Math.abs(lean) * 0.5);
  }
}

function paintFlowers(ctx: CanvasRenderingContext2D, x: number, y: number): void {
  const count = 2 + Math.floor(hash2(x, y, 6) * 3);
  for (let index = 0; index < count; index++) {
    const colour = PETALS[Math.floor(hash2(x, y, 20 + index) * PETALS.length)] ?? PETALS[0];
    const at = { x: x + 0.1 + hash2(x, y, 30 + index) * 0.8, y: y + 0.1 + hash2(x, y, 40 + index) * 0.8 };
    disc(ctx, { ...at, radius: 0.06, colour });
  }
}

function paintFields(brush: Brush): void {
  const { ctx, map } = brush;
  const tilled: TileTest = (x, y) => surfaceAt(map, x, y) === 'soil' || map.at(x, y) === 'crop';
  fillArea(brush, tilled, { grow: -0.04, colour: COLOUR.soil });
  eachTile(brush, tilled, (x, y) => {
    ctx.fillStyle = COLOUR.furrow;
    for (const row of [0.22, 0.55, 0.88]) ctx.fillRect(x, y + row, 1, 0.06);
    if (map.at(x, y) !== 'crop') return;
    ctx.fillStyle = COLOUR.crop;
    for (const row of [0.14, 0.47, 0.8]) {
      for (const column of [0.16, 0.5, 0.84])
        disc(ctx, { x: x + column, y: y + row, radius: 0.1 + hash2(x, y, row * 100 + column * 10) * 0.04 });
    }
  });
}

const WET: ReadonlySet<TileKind> = new Set(['water', 'deep_water', 'bridge']);

function paintWater(brush: Brush): void {
  const { ctx, map } = brush;
  const wet: TileTest = (x, y) => WET.has(map.at(x, y));
  const deep: TileTest = (x, y) => map.at(x, y) === 'deep_water';
  fillArea(brush, (x, y) => wet(x, y) || surfaceAt(map, x, y) === 'sand', { grow: 0.28, colour: COLOUR.sand });
  fillArea(brush, wet, { grow: 0.15, colour: COLOUR.wetSand });
  fillArea(brush, wet, { grow: 0.07, colour: COLOUR.foam });
  fillArea(brush, wet, { grow: 0, colour: COLOUR.water });
  fillArea(brush, deep, { grow: 0, colour: COLOUR.deep });
  ctx.strokeStyle = COLOUR.ripple;
  ctx.lineWidth = 0.05;
  ctx.beginPath();
  eachTile(
    brush,
    (x, y) => map.at(x, y) !== 'bridge' && wet(x, y) && hash2(x, y, 11) < 0.16,
    (x, y) => {
      const left = x + 0.15 + hash2(x, y, 12) * 0.4;
      const top = y + 0.3 + hash2(x, y, 13) * 0.5;
      ctx.moveTo(left, top);
      ctx.quadraticCurveTo(left + 0.14, top - 0.12, left + 0.28, top);
      ctx.quadraticCurveTo(left + 0.42, top + 0.12, left + 0.56, top);
    },
  );
  ctx.stroke();
}

function paintPaving(brush: Brush): void {
  const { ctx, map } = brush;
  // Roads continue under doors and bridges; otherwise a road would end before them in a round stump.
  const plaza: TileTest = (x, y) => surfaceAt(map, x, y) === 'plaza';
  const road: TileTest = (x, y) =>
    surfaceAt(map, x, y) === 'road' || map.at(x, y) === 'bridge' || map.at(x, y) === 'door' || plaza(x, y);
  fillArea(brush, road, { grow: 0.07, colour: COLOUR.roadEdge });
  fillArea(brush, road, { grow: -0.02, colour: COLOUR.road });
  fillArea(brush, plaza, { grow: 0.05, colour: COLOUR.plazaEdge });
  fillArea(brush, plaza, { grow: -0.01, colour: COLOUR.plaza });
  if (brush.scale < 16) return;
  ctx.fillStyle = COLOUR.pebble;
  eachTile(
    brush,
    (x, y) => map.at(x, y) === 'road',
    (x, y) => {
      for (let index = 0; index < 3; index++)
        disc(ctx, {
          x: x + hash2(x, y, 50 + index),
          y: y + hash2(x, y, 60 + index),
          radius: 0.03 + hash2(x, y, 70 + index) * 0.03,
        });
    },
  );
  ctx.strokeStyle = COLOUR.paving;
  ctx.lineWidth = 0.035;
  ctx.beginPath();
  eachTile(brush, plaza, (x, y) => {
    const shift = y % 2 === 0 ? 0 : 0.5;
    ctx.moveTo(x, y + 0.5);
    ctx.lineTo(x + 1, y + 0.5);
    ctx.moveTo(x, y);
    ctx.lineTo(x + 1, y);
    ctx.moveTo(x + shift, y);
    ctx.lineTo(x + shift, y + 0.5);
    ctx.moveTo(x + 0.5 - shift + (shift === 0 ? 0 : 0.25), y + 0.5);
    ctx.lineTo(x + 0.5 - shift + (shift === 0 ? 0 : 0.25), y + 1);
  });
  ctx.stroke();
}

function paintBridges(brush: Brush): void {
  const { ctx, map } = brush;
  eachTile(
    brush,
    (x, y) => map.at(x, y) === 'bridge',
    (x, y) => {
      const across = isWater(map.at(x, y - 1)) || isWater(map.at(x, y + 1));
      fillBox(ctx, COLOUR.plank, [x, y, 1, 1]);
      ctx.fillStyle = COLOUR.plankLine;
      for (const at of [0, 0.25, 0.5, 0.75]) {
        if (across) ctx.fillRect(x + at, y, 0.04, 1);
        else ctx.fillRect(x, y + at, 1, 0.04);
      }
    },
  );
}

const isWater = (kind: TileKind): boolean => kind === 'water' || kind === 'deep_water';

type TileTest = (x: number, y: number) => boolean;

/**
 * The outline of an area of tiles, with round corners, in tile units. It has one shape for each square between four
 * tile centres, which depends on the centres that are in the area (the dual grid). So the shapes of neighbouring
 * squares always meet.
 * @param grow tiles by which the area grows, or shrinks if negative; within ±0.45
 */
function blobPath(test: TileTest, rect: TileRect, grow: number): Path2D {
  const path = new Path2D();
  for (let y = rect.y - 1; y <= rect.y + rect.height; y++) {
    for (let x = rect.x - 1; x <= rect.x + rect.width; x++)
      addCell(
        path,
        { x: x + 0.5, y: y + 0.5 },
        {
          corners:
            (test(x, y) ? 1 : 0) | (test(x + 1, y) ? 2 : 0) | (test(x + 1, y + 1) ? 4 : 0) | (test(x, y + 1) ? 8 : 0),
          grow,
        },
      );
  }
  return path;
}

type Cell = Readonly<{ x: number; y: number }>;
/** The corners clockwise from the upper left, one bit each. */
const CORNERS = [
  { bit: 1, dx: 0, dy: 0 },
  { bit: 2, dx: 1, dy: 0 },
  { bit: 4, dx: 1, dy: 1 },
  { bit: 8, dx: 0, dy: 1 },
] as const;
const QUARTER = Math.PI / 2;

function addCell(path: Path2D, cell: Cell, shape: { readonly corners: number; readonly grow: number }): void {
  const { corners, grow } = shape;
  const reach = 0.5 + grow;
  if (corners === 0) return;
  if (corners === 15) {
    path.rect(cell.x, cell.y, 1, 1);
    return;
  }
  const band = BANDS[corners];
  if (band !== undefined) {
    path.rect(...band(cell, reach));
    return;
  }
  const missing = CORNERS.findIndex((corner) => corners === 15 - corner.bit);
  if (missing !== -1) {
    addBite(path, cell, { corner: missing, radius: 1 - reach });
    return;
  }
  for (const [index, corner] of CORNERS.entries())
    if ((corners & corner.bit) !== 0) addPie(path, cell, { corner: index, radius: reach });
}

/** The band along one side that two neighbouring corners form, as a box. */
const BANDS: Readonly<Record<number, (cell: Cell, reach: number) => [number, number, number, number]>> = {
  3: (cell, reach) => [cell.x, cell.y, 1, reach],
  6: (cell, reach) => [cell.x + 1 - reach, cell.y, reach, 1],
  12: (cell, reach) => [cell.x, cell.y + 1 - reach, 1, reach],
  9: (cell, reach) => [cell.x, cell.y, reach, 1],
};

type Round = Readonly<{ corner: number; radius: number }>;

function addPie(path: Path2D, cell: Cell, { corner, radius }: Round): void {
  const { dx, dy } = CORNERS[corner] ?? CORNERS[0];
  path.moveTo(cell.x + dx, cell.y + dy);
  path.arc(cell.x + dx, cell.y + dy, radius, corner * QUARTER, (corner + 1) * QUARTER);
  path.closePath();
}

function addBite(path: Path2D, cell: Cell, { corner, radius }: Round): void {
  const at = (index: number): { dx: number; dy: number } => CORNERS[index % 4] ?? CORNERS[0];
  const hole = at(corner);
  const start = at(corner + 1);
  path.moveTo(cell.x + start.dx, cell.y + start.dy);
  for (const index of [corner + 2, corner + 3]) path.lineTo(cell.x + at(index).dx, cell.y + at(index).dy);
  path.arc(cell.x + hole.dx, cell.y + hole.dy, radius, (corner + 1) * QUARTER, corner * QUARTER, true);
  path.closePath();
}
