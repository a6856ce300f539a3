import { hash2 } from '../../model/noise.ts';
import type { TileKind } from '../../model/tile-map.ts';
import { type Brush, eachOf } from './paint-ground.ts';
import { disc, fillBox, fillEllipse } from './shapes.ts';

const LEAF = [
  { dark: '#437f45', main: '#559753', light: '#72b268' },
  { dark: '#4d8740', main: '#64a14d', light: '#85bb62' },
  { dark: '#3d7b57', main: '#4c9468', light: '#69b082' },
  { dark: '#a3763a', main: '#c4934a', light: '#dcb266' },
] as const;
const TALL: ReadonlySet<TileKind> = new Set(['tree', 'pine', 'bush']);
const CASTS: ReadonlySet<TileKind> = new Set(['tree', 'pine', 'bush', 'stone']);
const FENCES: ReadonlySet<TileKind> = new Set(['fence']);
const STONES: ReadonlySet<TileKind> = new Set(['stone']);
const SHADOW = 'rgba(34,58,34,0.22)';

/** Paints trees, rocks and fences with their shadows, from north to south, so that nearer ones cover farther ones. */
export function paintNature(brush: Brush): void {
  const { ctx, map } = brush;
  eachOf(brush, CASTS, (x, y) => fillEllipse(ctx, SHADOW, [x + 0.58, y + 0.86, 0.46, 0.2]));
  eachOf(brush, FENCES, (x, y) => paintFence(brush, x, y));
  eachOf(brush, STONES, (x, y) => paintRock(ctx, x, y));
  eachOf(brush, TALL, (x, y) => {
    const kind = map.at(x, y);
    if (kind === 'pine') paintPine(ctx, x, y);
    else if (kind === 'bush') paintBush(ctx, x, y);
    else paintLeafTree(brush, x, y);
  });
}

function paintBush(ctx: CanvasRenderingContext2D, x: number, y: number): void {
  const leaf = LEAF[Math.floor(hash2(x, y, 87) * 3)] ?? LEAF[0];
  for (const [dx, dy, radius, colour] of [
    [0.28, 0.62, 0.25, leaf.dark],
    [0.7, 0.62, 0.25, leaf.dark],
    [0.5, 0.5, 0.32, leaf.main],
    [0.42, 0.4, 0.14, leaf.light],
  ] as const)
    disc(ctx, { x: x + dx, y: y + dy, radius, colour });
  if (hash2(x, y, 88) > 0.5) return;
  for (const [dx, dy] of [
    [0.35, 0.6],
    [0.6, 0.45],
    [0.68, 0.68],
  ] as const)
    disc(ctx, { x: x + dx, y: y + dy, radius: 0.05, colour: '#d9536b' });
}

/** The discs of a crown from back to front: shade of the leaves, place and radius. */
const CROWN = [
  ['dark', -0.26, 0.12, 0.34],
  ['dark', 0.26, 0.12, 0.34],
  ['dark', 0, -0.1, 0.42],
  ['dark', 0, 0.2, 0.36],
  ['main', -0.24, 0.04, 0.27],
  ['main', 0.22, 0.04, 0.27],
  ['main', -0.01, -0.15, 0.35],
  ['light', -0.13, -0.22, 0.17],
  ['light', -0.28, -0.02, 0.1],
  ['light', 0.12, -0.1, 0.08],
] as const;
/** On a picture with few pixels a tile, three discs look the same. */
const FAR_CROWN = [
  ['dark', 0, 0.05, 0.5],
  ['main', 0, -0.06, 0.4],
  ['light', -0.13, -0.2, 0.17],
] as const;

function paintLeafTree({ ctx, scale }: Brush, x: number, y: number): void {
  const leaf = LEAF[hash2(x, y, 80) < 0.035 ? 3 : Math.floor(hash2(x, y, 81) * 3)] ?? LEAF[0];
  const centreX = x + 0.5 + (hash2(x, y, 82) - 0.5) * 0.24;
  const centreY = y + 0.24 + (hash2(x, y, 83) - 0.5) * 0.16;
  const size = 0.86 + hash2(x, y, 84) * 0.3;
  fillBox(ctx, '#7b5638', [centreX - 0.07, centreY + 0.2, 0.14, 0.46]);
  for (const [shade, dx, dy, radius] of scale < 16 ? FAR_CROWN : CROWN)
    disc(ctx, { x: centreX + dx * size, y: centreY + dy * size, radius: radius * size, colour: leaf[shade] });
}

function paintPine(ctx: CanvasRenderingContext2D, x: number, y: number): void {
  const centreX = x + 0.5 + (hash2(x, y, 85) - 0.5) * 0.2;
  const base = y + 0.72;
  const size = 0.9 + hash2(x, y, 86) * 0.3;
  fillBox(ctx, '#6b4c34', [centreX - 0.06, base - 0.1, 0.12, 0.24]);
  for (const [level, half, colour, lit] of [
    [0, 0.46, '#3d7452', '#4f8b63'],
    [0.3, 0.37, '#468059', '#5a996c'],
    [0.6, 0.27, '#518d63', '#68a878'],
  ] as const) {
    const bottom = base - level * size;
    cone(ctx, { x: centreX, bottom, half: half * size, top: bottom - 0.55 * size, colour });
    ctx.fillStyle = lit;
    ctx.beginPath();
    ctx.moveTo(centreX, bottom - 0.55 * size);
    ctx.lineTo(centreX - half * size * 0.85, bottom - 0.05);
    ctx.quadraticCurveTo(centreX - half * size * 0.4, bottom - 0.02, centreX - half * size * 0.2, bottom - 0.1);
    ctx.fill();
  }
}

type Cone = Readonly<{ x: number; bottom: number; half: number; top: number; colour: string }>;

function cone(ctx: CanvasRenderingContext2D, shape: Cone): void {
  ctx.fillStyle = shape.colour;
  ctx.beginPath();
  ctx.moveTo(shape.x, shape.top);
  ctx.lineTo(shape.x + shape.half, shape.bottom - 0.03);
  ctx.quadraticCurveTo(shape.x, shape.bottom + 0.1, shape.x - shape.half, shape.bottom - 0.03);
  ctx.fill();
}

function paintRock(ctx: CanvasRenderingContext2D, x: number, y: number): void {
  const wide = 0.34 + hash2(x, y, 90) * 0.1;
  fillEllipse(ctx, '#8d9097', [x + 0.5, y + 0.62, wide, wide * 0.75]);
  fillEllipse(ctx, '#b3b7bd', [x + 0.44, y + 0.52, wide * 0.66, wide * 0.42, -0.3]);
}

function paintFence(brush: Brush, x: number, y: number): void {
  const { ctx, map } = brush;
  const sideways = map.at(x - 1, y) === 'fence' || map.at(x + 1, y) === 'fence';
  ctx.fillStyle = '#c9a878';
  if (sideways) for (const row of [0.38, 0.6]) ctx.fillRect(x, y + row, 1, 0.09);
  if (map.at(x, y + 1) === 'fence') ctx.fillRect(x + 0.46, y + 0.4, 0.08, 1);
  ctx.fillStyle = '#a98558';
  for (const post of sideways ? [0.12, 0.62] : [0.44]) ctx.fillRect(x + post, y + 0.25, 0.13, 0.6);
}
