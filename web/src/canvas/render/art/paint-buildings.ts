import type { TileRect } from '../../model/camera.ts';
import { hash2 } from '../../model/noise.ts';
import { type Building, isIndoors, surfaceAt, type TileKind } from '../../model/tile-map.ts';
import { type Brush, eachOf, eachTile } from './paint-ground.ts';
import { type Box, fillBox } from './shapes.ts';

/** The share of a wall tile that shows its top; the rest shows its south face. */
const CAP = 0.42;
const INK = 'rgba(70,48,34,0.55)';

const WALLS: ReadonlySet<TileKind> = new Set(['wall', 'window']);
const DOORS: ReadonlySet<TileKind> = new Set(['door']);

export function paintInteriors(brush: Brush): void {
  const { map } = brush;
  eachTile(
    brush,
    (x, y) => isIndoors(map, x, y) && !WALLS.has(map.at(x, y)),
    (x, y) => paintFloor(brush, x, y),
  );
  eachOf(brush, WALLS, (x, y) => paintWall(brush, x, y));
  eachOf(brush, DOORS, (x, y) => paintDoor(brush, x, y));
}

function paintFloor(brush: Brush, x: number, y: number): void {
  const { ctx, map } = brush;
  const kind = surfaceAt(map, x, y);
  if (kind === 'floor') paintFlags(ctx, x, y);
  else paintPlanks(ctx, x, y);
  if (kind === 'rug') paintRug(brush, x, y);
  if (WALLS.has(map.at(x, y - 1))) {
    const shade = ctx.createLinearGradient(0, y, 0, y + 0.4);
    shade.addColorStop(0, 'rgba(60,36,18,0.35)');
    shade.addColorStop(1, 'rgba(60,36,18,0)');
    fillBox(ctx, shade, [x, y, 1, 0.4]);
  }
  if (WALLS.has(map.at(x - 1, y))) {
    fillBox(ctx, 'rgba(60,36,18,0.16)', [x, y, 0.16, 1]);
  }
}

function paintPlanks(ctx: CanvasRenderingContext2D, x: number, y: number): void {
  fillBox(ctx, '#d3a976', [x, y, 1, 1]);
  for (const row of [0, 1, 2, 3]) {
    if (hash2(x, y * 4 + row, 100) < 0.35) {
      fillBox(ctx, 'rgba(255,236,200,0.18)', [x, y + row / 4, 1, 0.25]);
    }
    ctx.fillStyle = 'rgba(104,68,36,0.28)';
    ctx.fillRect(x, y + row / 4, 1, 0.025);
    ctx.fillRect(x + ((row * 0.37 + x * 0.13) % 1), y + row / 4, 0.025, 0.25);
  }
}

function paintFlags(ctx: CanvasRenderingContext2D, x: number, y: number): void {
  for (const [dx, dy] of [
    [0, 0],
    [0.5, 0],
    [0, 0.5],
    [0.5, 0.5],
  ] as const) {
    fillBox(ctx, hash2(x * 2 + dx * 2, y * 2 + dy * 2, 101) < 0.5 ? '#d8cfbf' : '#cfc5b4', [x + dx, y + dy, 0.5, 0.5]);
  }
  ctx.fillStyle = 'rgba(96,84,66,0.22)';
  ctx.fillRect(x, y, 1, 0.03);
  ctx.fillRect(x, y + 0.5, 1, 0.03);
  ctx.fillRect(x, y, 0.03, 1);
  ctx.fillRect(x + 0.5, y, 0.03, 1);
}

/** Maximum number of tiles searched for the corner of a rug, which gives all tiles of the rug one colour. */
const RUG_LIMIT = 16;
const RUGS = ['#b9554e', '#4f7f95', '#8a6aa5', '#5d8d62'] as const;

/** Paints one tile of a rug, with a border only at the edges of the rug. */
function paintRug({ ctx, map }: Brush, x: number, y: number): void {
  const same = (dx: number, dy: number): boolean => map.at(x + dx, y + dy) === 'rug';
  let [left, top] = [x, y];
  while (x - left < RUG_LIMIT && map.at(left - 1, y) === 'rug') left -= 1;
  while (y - top < RUG_LIMIT && map.at(left, top - 1) === 'rug') top -= 1;
  fillBox(ctx, RUGS[Math.floor(hash2(left, top, 102) * RUGS.length)] ?? RUGS[0], [x, y, 1, 1]);
  ctx.fillStyle = 'rgba(255,236,196,0.75)';
  if (!same(0, -1)) ctx.fillRect(x, y + 0.1, 1, 0.06);
  if (!same(0, 1)) ctx.fillRect(x, y + 0.84, 1, 0.06);
  if (!same(-1, 0)) ctx.fillRect(x + 0.1, y, 0.06, 1);
  if (!same(1, 0)) ctx.fillRect(x + 0.84, y, 0.06, 1);
  ctx.fillStyle = 'rgba(255,255,255,0.16)';
  ctx.beginPath();
  ctx.moveTo(x + 0.5, y + 0.26);
  ctx.lineTo(x + 0.72, y + 0.5);
  ctx.lineTo(x + 0.5, y + 0.74);
  ctx.lineTo(x + 0.28, y + 0.5);
  ctx.fill();
}

function paintWall(brush: Brush, x: number, y: number): void {
  const { ctx, map } = brush;
  const faced = !WALLS.has(map.at(x, y + 1));
  const outside = faced && !isIndoors(map, x, y + 1);
  fillBox(ctx, '#8a6a50', [x, y, 1, 1]);
  fillBox(ctx, 'rgba(255,236,206,0.16)', [x, y, 1, 0.08]);
  if (!faced) return;
  fillBox(ctx, outside ? '#f0e3cb' : '#e6d3b4', [x, y + CAP, 1, 1 - CAP]);
  fillBox(ctx, 'rgba(84,58,38,0.25)', [x, y + CAP, 1, 0.09]);
  fillBox(ctx, '#a98762', [x, y + 0.93, 1, 0.07]);
  if (outside) {
    fillBox(ctx, 'rgba(40,52,30,0.22)', [x, y + 1, 1, 0.14]);
  }
  if (map.at(x, y) === 'window') paintWindow(ctx, x, y);
}

function paintWindow(ctx: CanvasRenderingContext2D, x: number, y: number): void {
  fillBox(ctx, '#7a5a41', [x + 0.24, y + CAP + 0.12, 0.52, 0.36]);
  fillBox(ctx, '#9fd0e6', [x + 0.29, y + CAP + 0.16, 0.42, 0.28]);
  fillBox(ctx, 'rgba(255,255,255,0.55)', [x + 0.29, y + CAP + 0.16, 0.14, 0.28]);
  fillBox(ctx, '#7a5a41', [x + 0.48, y + CAP + 0.16, 0.04, 0.28]);
}

function paintDoor(brush: Brush, x: number, y: number): void {
  const { ctx, map } = brush;
  const inWall = WALLS.has(map.at(x - 1, y)) || WALLS.has(map.at(x + 1, y));
  fillBox(ctx, inWall ? '#b9895a' : '#a77a4f', [x, y, 1, 1]);
  fillBox(ctx, 'rgba(70,44,24,0.35)', [x, y + 0.9, 1, 0.1]);
  ctx.fillStyle = '#7c5436';
  if (inWall) for (const post of [0, 0.88]) ctx.fillRect(x + post, y, 0.12, 1);
  else for (const post of [0, 0.88]) ctx.fillRect(x, y + post, 1, 0.12);
  fillBox(ctx, '#c65f4b', [x + 0.2, y + 0.34, 0.6, 0.34]);
  fillBox(ctx, 'rgba(255,255,255,0.35)', [x + 0.2, y + 0.48, 0.6, 0.06]);
}

const ROOFS = [
  { light: '#dd7f5d', dark: '#c2654a', ridge: '#a9533c' },
  { light: '#7f9cc0', dark: '#66829f', ridge: '#536c88' },
  { light: '#dcb566', dark: '#c39a4d', ridge: '#a5803c' },
  { light: '#72b0a3', dark: '#589186', ridge: '#467a70' },
  { light: '#b888b5', dark: '#9a6c98', ridge: '#815880' },
  { light: '#b98a68', dark: '#9c7153', ridge: '#815b42' },
] as const;

/** Paints the roofs separately from the ground, so that the stage can hide them and show the rooms. */
export function paintRoofs(brush: Brush, buildings: readonly Building[]): void {
  for (const building of buildings) if (roofTouches(brush.rect, building)) paintRoof(brush.ctx, building);
}

/** True if a part of the roof, or its shadow, lies in the tiles. */
export function roofTouches(rect: TileRect, building: Building): boolean {
  const house = building.rect;
  return (
    house.x - 1 < rect.x + rect.width &&
    house.x + house.width + 1 > rect.x &&
    house.y - 2 < rect.y + rect.height &&
    house.y + house.height + 1 > rect.y
  );
}

function paintRoof(ctx: CanvasRenderingContext2D, building: Building): void {
  const { rect } = building;
  const look = ROOFS[Math.floor(hash2(rect.x, rect.y, 120) * ROOFS.length)] ?? ROOFS[0];
  const left = rect.x - 0.28;
  const width = rect.width + 0.56;
  const top = rect.y - 0.75;
  const bottom = rect.y + rect.height - 1 + CAP + 0.08;
  const ridge = top + (bottom - top) * 0.42;
  fillBox(ctx, 'rgba(40,40,30,0.25)', [left + 0.15, bottom, width - 0.1, 0.16]);
  roundRect(ctx, look.dark, [left, top, width, ridge - top + 0.1]);
  roundRect(ctx, look.light, [left, ridge, width, bottom - ridge]);
  ctx.fillStyle = 'rgba(60,30,20,0.13)';
  for (let row = top + 0.36; row < bottom - 0.1; row += 0.36) {
    ctx.fillRect(left, row, width, 0.045);
    const shift = Math.round((row - top) / 0.36) % 2 === 0 ? 0 : 0.22;
    for (let column = left + 0.22 + shift; column < left + width - 0.05; column += 0.44)
      ctx.fillRect(column, row, 0.04, Math.min(0.36, bottom - row));
  }
  fillBox(ctx, look.ridge, [left - 0.06, ridge - 0.09, width + 0.12, 0.18]);
  fillBox(ctx, 'rgba(255,255,255,0.2)', [left, bottom - 0.1, width, 0.05]);
  ctx.strokeStyle = INK;
  ctx.lineWidth = 0.05;
  ctx.strokeRect(left, top, width, bottom - top);
  if (rect.width >= 4) paintChimney(ctx, rect.x + rect.width * 0.72, ridge);
}

function paintChimney(ctx: CanvasRenderingContext2D, x: number, ridge: number): void {
  fillBox(ctx, '#8f6b5a', [x, ridge - 0.75, 0.42, 0.62]);
  fillBox(ctx, '#6d4f42', [x - 0.05, ridge - 0.82, 0.52, 0.16]);
}

function roundRect(ctx: CanvasRenderingContext2D, colour: string, box: Box): void {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.roundRect(...box, 0.12);
  ctx.fill();
}
