import type { Daylight } from '../model/daylight.ts';
import type { DrawList, FigureCommand } from '../model/draw-list.ts';
import type { Atlas } from './atlas.ts';
import { lookOf } from './art/figure-art.ts';
import type { LabelCache } from './label-cache.ts';
import type { SpritePool } from './sprite-pool.ts';

/** The objects that draw one frame from its list. */
export type Tools = Readonly<{ atlas: Atlas; labels: LabelCache; light: Daylight; tick: number }>;

/** The height of an atlas cell relative to the figure in it; the feet are at 92 % of the cell. */
const CELL_OVER_FIGURE = 1.18;
const FEET = 0.92;
const RING = { selected: 0xffd34d, hover: 0xffffff } as const;

export function drawItems(pool: SpritePool, list: DrawList, tools: Tools): void {
  for (const item of list.items) {
    pool.add({
      texture: tools.atlas.item(item.kind),
      x: item.x,
      y: item.y,
      anchorX: 0.5,
      anchorY: 0.7,
      width: item.size,
      height: item.size,
      tint: lit(tools.light),
    });
  }
}

export function drawFigures(pool: SpritePool, list: DrawList, tools: Tools): void {
  for (const figure of list.figures) {
    if (figure.ring !== 'none') ring(pool, figure, tools);
    if (figure.dot)
      pool.add({
        texture: tools.atlas.dot,
        x: figure.x,
        y: figure.y,
        anchorX: 0.5,
        anchorY: 0.5,
        width: figure.size,
        height: figure.size,
        alpha: figure.alpha,
        tint: dotColour(figure.look),
      });
    else body(pool, figure, tools);
  }
}

function ring(pool: SpritePool, figure: FigureCommand, tools: Tools): void {
  const width = Math.max(22, figure.size * 0.85);
  pool.add({
    texture: tools.atlas.ring,
    x: figure.x,
    y: figure.y,
    anchorX: 0.5,
    anchorY: 0.5,
    width,
    height: width,
    tint: figure.ring === 'selected' ? RING.selected : RING.hover,
  });
}

function body(pool: SpritePool, figure: FigureCommand, tools: Tools): void {
  const side = figure.size * CELL_OVER_FIGURE;
  const texture = figure.asleep
    ? tools.atlas.asleep(figure.look)
    : tools.atlas.figure(figure.look, figure.facing, figure.step);
  pool.add({
    texture,
    x: figure.x,
    y: figure.y,
    anchorX: 0.5,
    anchorY: FEET,
    width: side,
    height: side,
    alpha: figure.alpha,
    tint: lit(tools.light),
  });
  if (figure.carried !== null && figure.size > 22) {
    const size = figure.size * 0.36;
    const aside = figure.facing === 'west' ? -0.24 : 0.24;
    pool.add({
      texture: tools.atlas.item(figure.carried),
      x: figure.x + figure.size * aside,
      y: figure.y - figure.size * 0.22,
      anchorX: 0.5,
      anchorY: 0.5,
      width: size,
      height: size,
      tint: lit(tools.light),
    });
  }
  if (figure.asleep) snores(pool, figure, tools);
  if (figure.emote !== null) {
    const size = Math.max(26, figure.size * 0.55);
    pool.add({
      texture: tools.atlas.emote(figure.emote),
      x: figure.x + figure.size * 0.12,
      y: figure.y - figure.size * 0.92,
      anchorX: 0.5,
      anchorY: 0.95,
      width: size,
      height: size,
    });
  }
}

/** Two letters z that rise and vanish one after the other, once in 3 seconds. */
function snores(pool: SpritePool, figure: FigureCommand, tools: Tools): void {
  for (const offset of [0, 0.5]) {
    const phase = (tools.tick / 30 + offset + figure.look * 0.13) % 1;
    const size = figure.size * (0.16 + phase * 0.14);
    pool.add({
      texture: tools.atlas.snore,
      x: figure.x - figure.size * (0.18 - phase * 0.3),
      y: figure.y - figure.size * (0.42 + phase * 0.45),
      anchorX: 0.5,
      anchorY: 0.5,
      width: size,
      height: size,
      alpha: Math.sin(phase * Math.PI),
    });
  }
}

const dots = new Map<number, number>();

/** The colour of the shirt as a number. */
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

/** Lights figures more than the ground, so that they stay visible at night. */
function lit(light: Daylight): number {
  const channel = (shift: number): number => Math.round((((light.tint >> shift) & 255) + 255) / 2) << shift;
  return channel(16) | channel(8) | channel(0);
}
