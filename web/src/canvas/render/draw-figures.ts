import type { Daylight } from '../model/daylight.ts';
import type { DrawList, FigureCommand } from '../model/draw-list.ts';
import type { Texture } from 'pixi.js';
import { reducedMotion } from '../input/reduced-motion.ts';
import type { Atlas } from './atlas.ts';
import { lookOf } from './art/figure-art.ts';
import type { LabelCache } from './label-cache.ts';
import type { SpritePool } from './sprite-pool.ts';

export type Tools = Readonly<{ atlas: Atlas; labels: LabelCache; light: Daylight; tick: number }>;

/** An atlas cell is this many times as high as the figure in it; the feet are at 92 % of the cell's height. */
const CELL_OVER_FIGURE = 1.18;
const FEET = 0.92;
const RING = { selected: 0xffd34d, hover: 0xffffff } as const;

export function drawItems(pool: SpritePool, list: DrawList, { atlas, light }: Tools): void {
  for (const item of list.items)
    pool.add({ texture: atlas.item(item.kind), at: item, anchor: [0.5, 0.7], size: item.size, tint: lit(light) });
}

export function drawFigures(pool: SpritePool, list: DrawList, tools: Tools): void {
  const { dot, ring } = tools.atlas;
  for (const figure of list.figures) {
    const { size, look, alpha } = figure;
    if (figure.ring !== 'none')
      pool.add({ texture: ring, at: figure, size: Math.max(22, size * 0.85), tint: RING[figure.ring] });
    if (figure.dot) pool.add({ texture: dot, at: figure, size, alpha, tint: dotColour(look) });
    else body(pool, figure, tools);
  }
}

function body(pool: SpritePool, figure: FigureCommand, tools: Tools): void {
  const { atlas } = tools;
  const { x, y, size, look, alpha } = figure;
  const tint = lit(tools.light);
  const texture = figure.asleep ? atlas.asleep(look) : atlas.figure(look, figure.facing, figure.step);
  pool.add({ texture, at: figure, anchor: [0.5, FEET], size: size * CELL_OVER_FIGURE, alpha, tint });
  if (figure.carried !== null && size > 22) {
    const at = { x: x + size * (figure.facing === 'west' ? -0.24 : 0.24), y: y - size * 0.22 };
    pool.add({ texture: atlas.item(figure.carried), at, size: size * 0.36, tint });
  }
  if (figure.asleep) snores(pool, figure, tools);
  if (figure.hands !== null) badge(pool, figure, atlas.hands(figure.hands, handsStep(tools.tick, look)));
  if (figure.emote !== null) {
    const at = { x: x + size * 0.12, y: y - size * 0.92 };
    pool.add({ texture: atlas.emote(figure.emote), at, anchor: [0.5, 0.95], size: Math.max(26, size * 0.55) });
  }
}

const BADGE_TICKS = 4;

/** The step of a badge, which moves while its agent works. With reduced motion it stands still. */
function handsStep(tick: number, look: number): 0 | 1 {
  return !reducedMotion() && Math.floor(tick / BADGE_TICKS + look) % 2 === 1 ? 1 : 0;
}

/** A badge at the shoulder: the emote and the bubble are above the head. */
function badge(pool: SpritePool, { x, y, size }: FigureCommand, texture: Texture): void {
  pool.add({ texture, at: { x: x + size * 0.38, y: y - size * 0.66 }, size: Math.max(20, size * 0.4) });
}

/** Two letters z, which rise and vanish in turn, each every 3 seconds. */
function snores(pool: SpritePool, { x, y, size, look }: FigureCommand, { atlas, tick }: Tools): void {
  for (const offset of [0, 0.5]) {
    const phase = (tick / 30 + offset + look * 0.13) % 1;
    pool.add({
      texture: atlas.snore,
      at: { x: x - size * (0.18 - phase * 0.3), y: y - size * (0.42 + phase * 0.45) },
      size: size * (0.16 + phase * 0.14),
      alpha: Math.sin(phase * Math.PI),
    });
  }
}

const dots = new Map<number, number>();

function dotColour(look: number): number {
  const known = dots.get(look);
  if (known !== undefined) return known;
  const [hue = 0, saturation = 60, lightness = 57] = (lookOf(look).shirt.match(/[\d.]+/g) ?? []).map(Number);
  const chroma = (saturation / 100) * Math.min(lightness / 100, 1 - lightness / 100);
  const channel = (shift: number): number => {
    const at = (shift + hue / 30) % 12;
    return Math.round(255 * (lightness / 100 - chroma * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  const colour = (channel(0) << 16) | (channel(8) << 8) | channel(4);
  dots.set(look, colour);
  return colour;
}

/** The light on figures, which is brighter than on the ground, so that they stay visible at night. */
function lit(light: Daylight): number {
  const channel = (shift: number): number => Math.round((((light.tint >> shift) & 255) + 255) / 2) << shift;
  return channel(16) | channel(8) | channel(0);
}
