import { HANDS_ACTIVITIES, type HandsActivity } from '@hamlet/contract';
import type { Facing } from '@hamlet/core';
import { CanvasSource, Rectangle, Texture } from 'pixi.js';
import { HANDS_ICONS, ICON_PATHS, type IconName } from '../../ui/icon-paths.ts';
import { LOOKS } from '../model/draw-list.ts';
import { lookOf, paintFigure, type Pose } from './art/figure-art.ts';

type Paint = (ctx: CanvasRenderingContext2D) => void;

const ITEM_INK = 'rgba(52,38,28,0.8)';

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
    ctx.fillStyle = ITEM_INK;
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
  ctx.strokeStyle = ITEM_INK;
  const paint = ITEMS[kind] ?? PARCEL;
  paint(ctx);
  ctx.restore();
}

/**
 * All moving pictures, in a few textures, so that a frame needs only a few draw calls. The figures of a look are painted when
 * it first appears, because a village shows few looks and its map should start soon.
 */
export interface Atlas {
  figure(look: number, facing: Facing, step: 0 | 1 | 2): Texture;
  asleep(look: number): Texture;
  item(kind: string): Texture;
  emote(name: string): Texture;
  hands(activity: HandsActivity, step: 0 | 1): Texture;
  readonly dot: Texture;
  readonly ring: Texture;
  readonly glow: Texture;
  readonly snore: Texture;
  /** Sends figures that were painted since the last call to the graphics card. Call it before each frame is drawn. */
  upload(): void;
  destroy(): void;
}

/** The width and height of a cell in pixels: enough for a figure at the highest zoom on an ordinary screen. */
const CELL_PX = 88;
const PAD_PX = 2;
const PITCH_PX = CELL_PX + PAD_PX;
/** The cells of the texture that items, emotes, badges and shapes share. */
const SHARED = { columns: 8, rows: 5 };
const EMOTE_ICONS: readonly IconName[] = [
  'wave',
  'smile',
  'laugh',
  'thought',
  'nod',
  'shrug',
  'dance',
  'cheer',
  'sleep',
  'heart',
  'speech',
];
const EMOTE_ALIAS: Readonly<Record<string, IconName>> = { think: 'thought', sleepy: 'sleep' };

const ATLAS_FACINGS: readonly Facing[] = ['south', 'west', 'east', 'north'];

const POSES: readonly Pose[] = [
  ...ATLAS_FACINGS.flatMap((facing) => ([0, 1, 2] as const).map((step) => ({ facing, step }))),
  'asleep',
];

export function createAtlas(): Atlas {
  const sheet = new Sheet(SHARED);
  const figures = new FigureSheets();
  const items = new Map(ITEM_ART.map((kind) => [kind, sheet.add((ctx) => paintItem(ctx, kind))]));
  const emotes = new Map(EMOTE_ICONS.map((icon) => [icon, sheet.add((ctx) => paintEmote(ctx, icon))]));
  const badgeOf = (kind: HandsActivity): readonly Texture[] => {
    const badge = { path: ICON_PATHS[HANDS_ICONS[kind]], calls: kind === 'waiting' };
    return ([0, 1] as const).map((step) => sheet.add((ctx) => paintHandsBadge(ctx, badge, step)));
  };
  const hands = new Map(HANDS_ACTIVITIES.map((kind) => [kind, badgeOf(kind)]));
  const shapes = {
    dot: sheet.add(paintDot),
    ring: sheet.add(paintRing),
    glow: sheet.add(paintGlow),
    snore: sheet.add(paintSnore),
  };
  const poseAt = (look: number, pose: number): Texture => figures.at(look % LOOKS, pose) ?? shapes.dot;
  return {
    figure: (look, facing, step) => poseAt(look, ATLAS_FACINGS.indexOf(facing) * 3 + step),
    asleep: (look) => poseAt(look, POSES.length - 1),
    item: (kind) => items.get(kind) ?? items.get('parcel') ?? shapes.dot,
    emote: (name) => emotes.get(EMOTE_ALIAS[name] ?? (name as IconName)) ?? emotes.get('speech') ?? shapes.dot,
    hands: (activity, step) => hands.get(activity)?.[step] ?? shapes.dot,
    ...shapes,
    upload: () => figures.upload(),
    destroy: () => {
      sheet.source.destroy();
      figures.destroy();
    },
  };
}

/**
 * Number of looks in a sheet. Few sheets fit in one batch, so a new order of figures costs no new list of draw calls.
 */
const SHEET_LOOKS = 9;

/** The poses of all looks. Mutable because the first use of a look paints it. */
class FigureSheets {
  readonly #sheets: Sheet[] = [];
  readonly #poses = new Map<number, readonly Texture[]>();
  readonly #painted = new Set<Sheet>();

  at(look: number, pose: number): Texture | undefined {
    return (this.#poses.get(look) ?? this.#paint(look))[pose];
  }

  upload(): void {
    for (const { source } of this.#painted) source.update();
    this.#painted.clear();
  }

  destroy(): void {
    for (const { source } of this.#sheets) source.destroy();
  }

  #paint(index: number): readonly Texture[] {
    const sheet = this.#nextRow();
    const look = lookOf(index);
    const poses = POSES.map((shown) => sheet.add((ctx) => paintFigure(ctx, look, shown)));
    this.#poses.set(index, poses);
    this.#painted.add(sheet);
    return poses;
  }

  #nextRow(): Sheet {
    if (this.#poses.size === this.#sheets.length * SHEET_LOOKS)
      this.#sheets.push(new Sheet({ columns: POSES.length, rows: SHEET_LOOKS }));
    const sheet = this.#sheets.at(-1);
    if (sheet === undefined) throw new Error('unreachable: the first look makes a sheet');
    return sheet;
  }
}

class Sheet {
  readonly source: CanvasSource;
  readonly #cells: Readonly<{ columns: number; rows: number }>;
  readonly #ctx: CanvasRenderingContext2D;
  #next = 0;

  constructor(cells: Readonly<{ columns: number; rows: number }>) {
    this.#cells = cells;
    const canvas = document.createElement('canvas');
    canvas.width = cells.columns * PITCH_PX;
    canvas.height = cells.rows * PITCH_PX;
    this.#ctx = contextOf(canvas);
    this.source = new CanvasSource({ resource: canvas, autoGenerateMipmaps: true, scaleMode: 'linear' });
  }

  add(paint: (ctx: CanvasRenderingContext2D) => void): Texture {
    const { columns, rows } = this.#cells;
    if (this.#next === columns * rows) throw new Error('the atlas has no room for another picture: add a row');
    const x = (this.#next % columns) * PITCH_PX;
    const y = Math.floor(this.#next / columns) * PITCH_PX;
    this.#next += 1;
    this.#ctx.save();
    this.#ctx.beginPath();
    this.#ctx.rect(x, y, CELL_PX, CELL_PX);
    this.#ctx.clip();
    this.#ctx.translate(x, y);
    this.#ctx.scale(CELL_PX, CELL_PX);
    paint(this.#ctx);
    this.#ctx.restore();
    return new Texture({ source: this.source, frame: new Rectangle(x, y, CELL_PX, CELL_PX) });
  }
}

/** The 2D context of a canvas. Throws if the browser has none, because the map cannot work without it. */
export function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('this browser has no 2D canvas');
  return ctx;
}

function paintDot(ctx: CanvasRenderingContext2D): void {
  ctx.fillStyle = '#ffffff';
  ctx.beginPath();
  ctx.arc(0.5, 0.5, 0.4, 0, Math.PI * 2);
  ctx.fill();
  ctx.strokeStyle = 'rgba(30,30,30,0.7)';
  ctx.lineWidth = 0.1;
  ctx.stroke();
}

function paintRing(ctx: CanvasRenderingContext2D): void {
  ctx.strokeStyle = 'rgba(20,24,30,0.5)';
  ctx.lineWidth = 0.11;
  ctx.beginPath();
  ctx.ellipse(0.5, 0.5, 0.42, 0.2, 0, 0, Math.PI * 2);
  ctx.stroke();
  ctx.strokeStyle = '#ffffff';
  ctx.lineWidth = 0.06;
  ctx.stroke();
}

function paintGlow(ctx: CanvasRenderingContext2D): void {
  const light = ctx.createRadialGradient(0.5, 0.5, 0, 0.5, 0.5, 0.5);
  light.addColorStop(0, 'rgba(255,176,84,0.75)');
  light.addColorStop(0.35, 'rgba(255,150,60,0.3)');
  light.addColorStop(0.7, 'rgba(255,130,40,0.08)');
  light.addColorStop(1, 'rgba(255,130,40,0)');
  ctx.fillStyle = light;
  ctx.fillRect(0, 0, 1, 1);
}

function paintSnore(ctx: CanvasRenderingContext2D): void {
  ctx.lineJoin = 'round';
  ctx.strokeStyle = 'rgba(28,36,64,0.85)';
  const zed = new Path2D('M.25 .25h.5l-.5 .5h.5');
  ctx.lineWidth = 0.26;
  ctx.lineCap = 'round';
  ctx.stroke(zed);
  ctx.strokeStyle = '#ffffff';
  ctx.lineWidth = 0.13;
  ctx.stroke(zed);
}

function paintEmote(ctx: CanvasRenderingContext2D, icon: IconName): void {
  ctx.fillStyle = '#fffdf7';
  ctx.strokeStyle = 'rgba(40,34,30,0.6)';
  ctx.lineWidth = 0.03;
  ctx.beginPath();
  ctx.roundRect(0.06, 0.04, 0.88, 0.78, 0.3);
  ctx.moveTo(0.42, 0.82);
  ctx.lineTo(0.5, 0.95);
  ctx.lineTo(0.58, 0.82);
  ctx.fill();
  ctx.stroke();
  ctx.save();
  ctx.translate(0.2, 0.13);
  ctx.scale(0.6 / 24, 0.6 / 24);
  ctx.lineWidth = 2.2;
  ctx.lineCap = 'round';
  ctx.lineJoin = 'round';
  ctx.strokeStyle = icon === 'heart' ? '#d8435a' : '#3b4a5e';
  const path = new Path2D(ICON_PATHS[icon]);
  if (icon === 'heart') {
    ctx.fillStyle = '#f0677b';
    ctx.fill(path);
  }
  ctx.stroke(path);
  ctx.restore();
}

/** A badge: the path of its icon, and whether its agent needs a person, which gives it another colour. */
type Badge = Readonly<{ path: string; calls: boolean }>;

const INK = '#2f3d52';
const PAPER = '#fffdf7';
const CALLING_PAPER = '#ffd98a';
const ICON_PX = 24;
const SWAY = 0.16;

/** Draws a badge into a cell of 1 × 1; `step` is one of the two pictures of its motion. */
function paintHandsBadge(ctx: CanvasRenderingContext2D, { path, calls }: Badge, step: 0 | 1): void {
  ctx.fillStyle = calls ? CALLING_PAPER : PAPER;
  ctx.strokeStyle = 'rgba(40,34,30,0.7)';
  ctx.lineWidth = 0.04;
  ctx.beginPath();
  ctx.arc(0.5, 0.5, 0.44, 0, Math.PI * 2);
  ctx.fill();
  ctx.stroke();
  ctx.save();
  ctx.translate(0.5, 0.5 - step * 0.03);
  ctx.rotate(step === 0 ? -SWAY / 2 : SWAY / 2);
  ctx.scale(0.56 / ICON_PX, 0.56 / ICON_PX);
  ctx.translate(-ICON_PX / 2, -ICON_PX / 2);
  ctx.lineWidth = 2.3;
  ctx.lineCap = 'round';
  ctx.lineJoin = 'round';
  ctx.strokeStyle = INK;
  ctx.stroke(new Path2D(path));
  ctx.restore();
}
