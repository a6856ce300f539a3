type Paint = (ctx: CanvasRenderingContext2D) => void;

const INK = 'rgba(52,38,28,0.8)';

function shape(ctx: CanvasRenderingContext2D, path: string, colour: string): void {
  const outline = new Path2D(path);
  ctx.fillStyle = colour;
  ctx.fill(outline);
  ctx.stroke(outline);
}

const ITEMS: Readonly<Record<string, Paint>> = {
  apple: (ctx) => {
    shape(
      ctx,
      'M12 8c-2.500-2-7-1-7 4.500 0 4 2.500 8 4.500 8 1.200 0 1.500-.5 2.500-.5s1.300.5 2.500.5c2 0 4.500-4 4.500-8C19 7 14.500 6 12 8z',
      '#dc4b41',
    );
    shape(ctx, 'M12 8c0-2.500 1.500-4.500 4.500-5 0 3-2 4.500-4.500 5z', '#6fa94d');
  },
  flower: (ctx) => {
    shape(ctx, 'M11.300 13h1.400v8.500h-1.400z', '#5f9a48');
    for (const [x, y] of [
      [12, 5],
      [16, 8],
      [14.5, 12.5],
      [9.5, 12.5],
      [8, 8],
    ] as const)
      shape(ctx, `M${x} ${y}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0`, '#f08bb0');
    shape(ctx, 'M12 9m-2.300 0a2.300 2.300 0 1 0 4.600 0a2.300 2.300 0 1 0-4.600 0', '#f7d154');
  },
  wood: (ctx) => {
    for (const y of [14, 8.5]) {
      shape(ctx, `M6 ${y}h13v5H6z`, '#a06e41');
      shape(ctx, `M6 ${y + 2.5}m-2.700 0a2.700 2.700 0 1 0 5.400 0a2.700 2.700 0 1 0-5.400 0`, '#dcb684');
    }
  },
  fish: (ctx) => {
    shape(ctx, 'M16 12l5-4v8z', '#4d8fb5');
    shape(ctx, 'M3 12c3-6 11-6 14 0-3 6-11 6-14 0z', '#6fb2d2');
    ctx.fillStyle = INK;
    ctx.fillRect(6.5, 10.3, 1.8, 1.8);
  },
  bread: (ctx) => {
    shape(ctx, 'M3 14c0-5 4-8 9-8s9 3 9 8c0 3-2 4.500-4.500 4.500h-9C5 18.500 3 17 3 14z', '#d8994f');
    shape(ctx, 'M8 10l2 3M12 9l2 3M16 10l1.500 2.500', '#f3cf93');
  },
  coffee: (ctx) => {
    shape(ctx, 'M17 9.500c5-1 5 7 0 6', 'rgba(0,0,0,0)');
    shape(ctx, 'M4 8h13.500v6c0 4-2.500 6-6.700 6S4 18 4 14z', '#fdf8ee');
    shape(ctx, 'M4 8c0-2 13.500-2 13.500 0s-13.500 2-13.500 0z', '#6b4328');
  },
  book: (ctx) => {
    shape(ctx, 'M5 4.500h12.500a1.500 1.500 0 0 1 1.500 1.500v14H6.500A1.500 1.500 0 0 1 5 18.500z', '#4f7fb5');
    shape(ctx, 'M6.500 17H19v3H6.500a1.500 1.500 0 0 1 0-3z', '#fbf6ea');
    shape(ctx, 'M9 8h6.500M9 11h4.500', '#fbf6ea');
  },
  tool: (ctx) => {
    shape(ctx, 'M10.500 10h3.500v11.500h-3.500z', '#b07c4a');
    shape(ctx, 'M5 4h11.500l3 3v3H5z', '#9aa3ad');
  },
};

const PARCEL: Paint = (ctx) => {
  shape(ctx, 'M4 8h16v12H4z', '#c99a62');
  shape(ctx, 'M4 8l2-3.500h12L20 8z', '#ddb27a');
  shape(ctx, 'M10.500 8h3v5h-3z', '#f3e3c2');
};

/** The kinds in the order of the atlas; the last one is the parcel. */
export const ITEM_ART = [...Object.keys(ITEMS), 'parcel'] as const;

/** Draws an item into a cell of 1 × 1. */
export function paintItem(ctx: CanvasRenderingContext2D, kind: string): void {
  ctx.save();
  ctx.scale(1 / 24, 1 / 24);
  ctx.lineWidth = 1.3;
  ctx.lineJoin = 'round';
  ctx.lineCap = 'round';
  ctx.strokeStyle = INK;
  const paint = ITEMS[kind] ?? PARCEL;
  paint(ctx);
  ctx.restore();
}
