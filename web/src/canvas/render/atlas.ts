import { HANDS_ACTIVITIES, type HandsActivity } from '@hamlet/contract';
import type { Facing } from '@hamlet/core';
import { CanvasSource, Rectangle, Texture } from 'pixi.js';
import { HANDS_ICONS, ICON_PATHS, type IconName } from '../../ui/icon-paths.ts';
import { LOOKS } from '../model/draw-list.ts';
import { lookOf, paintFigure, type Pose } from './art/figure-art.ts';
import { ITEM_ART, paintItem } from './art/item-art.ts';

/** One texture with all moving pictures, so that a frame needs only a few draw calls. */
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
  destroy(): void;
}

/** The width and height of a cell in pixels: enough for a figure at the highest zoom on an ordinary screen. */
const CELL_PX = 88;
const PAD_PX = 2;
const PITCH_PX = CELL_PX + PAD_PX;
const COLUMNS = 22;
const ROWS = 24;
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
  const sheet = new Sheet();
  const figures = Array.from({ length: LOOKS }, (_, index) => {
    const look = lookOf(index);
    return POSES.map((pose) => sheet.add((ctx) => paintFigure(ctx, look, pose)));
  });
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
  const poseAt = (look: number, pose: number): Texture => figures[look % LOOKS]?.[pose] ?? shapes.dot;
  return {
    figure: (look, facing, step) => poseAt(look, ATLAS_FACINGS.indexOf(facing) * 3 + step),
    asleep: (look) => poseAt(look, POSES.length - 1),
    item: (kind) => items.get(kind) ?? items.get('parcel') ?? shapes.dot,
    emote: (name) => emotes.get(EMOTE_ALIAS[name] ?? (name as IconName)) ?? emotes.get('speech') ?? shapes.dot,
    hands: (activity, step) => hands.get(activity)?.[step] ?? shapes.dot,
    ...shapes,
    destroy: () => sheet.source.destroy(),
  };
}

class Sheet {
  readonly source: CanvasSource;
  readonly #ctx: CanvasRenderingContext2D;
  #next = 0;

  constructor() {
    const canvas = document.createElement('canvas');
    canvas.width = COLUMNS * PITCH_PX;
    canvas.height = ROWS * PITCH_PX;
    this.#ctx = contextOf(canvas);
    this.source = new CanvasSource({ resource: canvas, autoGenerateMipmaps: true, scaleMode: 'linear' });
  }

  add(paint: (ctx: CanvasRenderingContext2D) => void): Texture {
    if (this.#next === COLUMNS * ROWS) throw new Error('the atlas has no room for another picture: add a row');
    const x = (this.#next % COLUMNS) * PITCH_PX;
    const y = Math.floor(this.#next / COLUMNS) * PITCH_PX;
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
  ctx.font = '800 0.8px "Nunito Variable", sans-serif';
  ctx.lineJoin = 'round';
  ctx.lineWidth = 0.14;
  ctx.strokeStyle = 'rgba(28,36,64,0.85)';
  ctx.fillStyle = '#ffffff';
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
