import { hash2 } from '../../model/noise.ts';
import type { TileKind } from '../../model/tile-map.ts';
import { type Brush, eachTile } from './paint-ground.ts';
import { type Box, disc, fillBox, fillEllipse } from './shapes.ts';

/** `same` is true if the tile at an offset is of the same kind, so that a long counter becomes one piece. */
interface Spot {
  readonly ctx: CanvasRenderingContext2D;
  readonly x: number;
  readonly y: number;
  readonly same: (dx: number, dy: number) => boolean;
}

const SHADE = 'rgba(50,34,20,0.25)';

const PIECES: Partial<Record<TileKind, (spot: Spot) => void>> = {
  counter: paintCounter,
  table: paintTable,
  bed: paintBed,
  bookshelf: paintBookshelf,
  workbench: paintWorkbench,
  notice_board: paintNoticeBoard,
  well: paintWell,
  stall: paintStall,
};

export function paintFurniture(brush: Brush): void {
  const { ctx, map } = brush;
  eachTile(
    brush,
    (x, y) => PIECES[map.at(x, y)] !== undefined,
    (x, y) => {
      const kind = map.at(x, y);
      PIECES[kind]?.({ ctx, x, y, same: (dx, dy) => map.at(x + dx, y + dy) === kind });
    },
  );
}

function box({ ctx, x, y }: Spot, [left, top, width, height]: Box, colour: string): void {
  fillBox(ctx, colour, [x + left, y + top, width, height]);
}

function spotDisc({ ctx, x, y }: Spot, [left, top, radius]: readonly [number, number, number], colour: string): void {
  disc(ctx, { x: x + left, y: y + top, radius, colour });
}

function paintCounter(spot: Spot): void {
  box(spot, [0, 0.72, 1, 0.28], SHADE);
  box(spot, [0, 0.18, 1, 0.7], '#8d6140');
  box(spot, [0, 0.08, 1, 0.34], '#dcbc8c');
  box(spot, [0, 0.4, 1, 0.05], SHADE);
  const thing = hash2(spot.x, spot.y, 130);
  if (thing < 0.3) {
    spotDisc(spot, [0.5, 0.22, 0.11], '#f5f0e6');
    spotDisc(spot, [0.5, 0.21, 0.065], '#6b4328');
  } else if (thing < 0.55) {
    spotDisc(spot, [0.38, 0.22, 0.1], '#cf8f4b');
    spotDisc(spot, [0.6, 0.24, 0.1], '#cf8f4b');
  }
}

function paintTable(spot: Spot): void {
  const joined = spot.same(-1, 0) || spot.same(1, 0) || spot.same(0, -1) || spot.same(0, 1);
  if (joined) {
    const left = spot.same(-1, 0) ? 0 : 0.1;
    const right = spot.same(1, 0) ? 1 : 0.9;
    const top = spot.same(0, -1) ? 0 : 0.14;
    const bottom = spot.same(0, 1) ? 1 : 0.84;
    box(spot, [left, bottom - 0.06, right - left, 0.16], SHADE);
    box(spot, [left, top, right - left, bottom - top], '#b98556');
    box(spot, [left, top, right - left, (bottom - top) * 0.84], '#cb9a68');
    return;
  }
  fillEllipse(spot.ctx, SHADE, [spot.x + 0.5, spot.y + 0.72, 0.4, 0.22]);
  spotDisc(spot, [0.5, 0.54, 0.38], '#a87548');
  spotDisc(spot, [0.5, 0.48, 0.38], '#d6a772');
  spotDisc(spot, [0.42, 0.44, 0.11], '#f6f1e8');
}

const BLANKETS = ['#7f9fc4', '#c97b6b', '#84a978', '#a58bbd'] as const;

function paintBed(spot: Spot): void {
  const head = !spot.same(0, -1);
  const bottom = spot.same(0, 1) ? 1 : 0.88;
  const top = head ? 0.5 : 0;
  box(spot, [0.1, 0, 0.8, bottom === 1 ? 1 : 0.96], '#8d6140');
  box(spot, [0.15, head ? 0.1 : 0, 0.7, bottom - (head ? 0.1 : 0)], '#f3ede1');
  box(
    spot,
    [0.15, top, 0.7, bottom - top],
    BLANKETS[Math.floor(hash2(spot.x, spot.y >> 1, 131) * BLANKETS.length)] ?? BLANKETS[0],
  );
  box(spot, [0.15, top, 0.7, 0.08], 'rgba(255,255,255,0.4)');
  if (!head) return;
  spot.ctx.fillStyle = '#ffffff';
  spot.ctx.beginPath();
  spot.ctx.roundRect(spot.x + 0.24, spot.y + 0.15, 0.52, 0.26, 0.08);
  spot.ctx.fill();
}

const SPINES = ['#b5524a', '#4f7f95', '#d6a94a', '#5d8d62', '#8a6aa5', '#e0d3b8'] as const;

function paintBookshelf(spot: Spot): void {
  box(spot, [0, 0.9, 1, 0.14], SHADE);
  box(spot, [0, -0.25, 1, 1.2], '#7a5439');
  for (const shelf of [-0.16, 0.2, 0.56]) {
    box(spot, [0.05, shelf, 0.9, 0.3], '#573a26');
    for (let book = 0; book < 7; book++) {
      const tall = 0.2 + hash2(spot.x * 7 + book, spot.y + shelf * 10, 132) * 0.09;
      box(
        spot,
        [0.08 + book * 0.12, shelf + 0.3 - tall, 0.1, tall],
        SPINES[Math.floor(hash2(spot.x * 7 + book, spot.y + shelf * 10, 133) * SPINES.length)] ?? SPINES[0],
      );
    }
  }
}

function paintWorkbench(spot: Spot): void {
  box(spot, [0, 0.74, 1, 0.24], SHADE);
  box(spot, [0.04, 0.3, 0.92, 0.6], '#77553b');
  box(spot, [0, 0.16, 1, 0.4], '#a98259');
  box(spot, [0.16, 0.26, 0.4, 0.07], '#6d4b33');
  box(spot, [0.5, 0.2, 0.14, 0.2], '#8b929b');
  box(spot, [0.72, 0.3, 0.16, 0.12], '#d0a35c');
}

function paintNoticeBoard(spot: Spot): void {
  box(spot, [0.08, 0.86, 0.84, 0.14], SHADE);
  for (const post of [0.1, 0.8]) box(spot, [post, -0.1, 0.1, 1.05], '#6d4b33');
  box(spot, [0, -0.2, 1, 0.76], '#8d6140');
  box(spot, [0.07, -0.13, 0.86, 0.62], '#d9b988');
  for (const [left, top, width, height, colour] of [
    [0.13, -0.08, 0.24, 0.28, '#fffaf0'],
    [0.42, -0.06, 0.2, 0.22, '#fbe9a6'],
    [0.67, -0.09, 0.22, 0.26, '#fffaf0'],
    [0.2, 0.23, 0.3, 0.2, '#cfe5f2'],
    [0.56, 0.2, 0.26, 0.22, '#f6d3cf'],
  ] as const)
    box(spot, [left, top, width, height], colour);
}

function paintWell(spot: Spot): void {
  const { ctx, x, y } = spot;
  if (spot.same(-1, 0) || spot.same(0, -1)) return;
  const size = spot.same(1, 0) ? 2 : 1;
  const middle = { x: x + size / 2, y: y + (spot.same(0, 1) ? 2 : 1) / 2 };
  for (const [radius, colour, lift] of [
    [0.5, SHADE, -0.1],
    [0.47, '#8f949b', 0],
    [0.47, '#b8bdc3', 0.07],
    [0.33, '#5d646d', 0.07],
    [0.3, '#4c9cc4', 0.03],
  ] as const) {
    disc(ctx, { x: middle.x, y: middle.y - lift * size, radius: radius * size, colour });
  }
  const shine = { x: middle.x - 0.1 * size, y: middle.y - 0.1 * size, radius: 0.06 * size };
  disc(ctx, { ...shine, colour: 'rgba(255,255,255,0.5)' });
}

function paintStall(spot: Spot): void {
  const colour =
    ['#cf5d4d', '#4f86a8', '#6b9a55', '#c9953e'][Math.floor(hash2(leftEnd(spot), spot.y, 134) * 4)] ?? '#cf5d4d';
  box(spot, [0, 0.88, 1, 0.16], SHADE);
  box(spot, [0, 0.42, 1, 0.5], '#9b6f49');
  box(spot, [0, 0.36, 1, 0.2], '#d9b884');
  for (const [dx, fruit] of [
    [0.2, '#d9483f'],
    [0.42, '#e7a33c'],
    [0.64, '#7fae4a'],
    [0.84, '#d9483f'],
  ] as const) {
    spotDisc(spot, [dx, 0.42, 0.09], fruit);
  }
  for (let stripe = 0; stripe < 5; stripe++) {
    spot.ctx.fillStyle = stripe % 2 === 0 ? colour : '#fdf6e8';
    spot.ctx.beginPath();
    spot.ctx.roundRect(spot.x + stripe * 0.2, spot.y - 0.42, 0.2, 0.62, [0, 0, 0.1, 0.1]);
    spot.ctx.fill();
  }
  box(spot, [0, -0.42, 1, 0.08], 'rgba(255,255,255,0.35)');
}

/** The x of the leftmost tile of the same kind in this row, so that all tiles of a stall share one colour. */
function leftEnd(spot: Spot): number {
  let away = 0;
  while (away < 12 && spot.same(-away - 1, 0)) away += 1;
  return spot.x - away;
}
