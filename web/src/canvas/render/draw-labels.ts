import { clamp, type Point } from '../model/camera.ts';
import type { DrawList } from '../model/draw-list.ts';
import type { Tools } from './draw-figures.ts';
import type { SpritePool } from './sprite-pool.ts';

/** Names of zones and places: under the figures, so that they cover no agent. */
export function drawMarks(pool: SpritePool, list: DrawList, { labels }: Tools): void {
  for (const { x, y, width, text, labelAlpha: alpha } of list.zones) {
    if (alpha === 0) continue;
    const texture = labels.get({ kind: 'zone', text });
    if (texture.width <= width) pool.add({ texture, at: whole(x + width / 2, y + 16), alpha });
  }
  for (const { x, y, text, kind: icon, labelled } of list.landmarks) {
    const texture = labels.get({ kind: 'landmark', text, icon, labelled });
    pool.add({ texture, at: whole(x, y), anchor: [labelled ? 13.5 / texture.width : 0.5, 0.5] });
  }
}

/** Pins of posts: above the ground and its names, under the figures. */
export function drawPins(pool: SpritePool, list: DrawList, { labels }: Tools): void {
  for (const { x, y, tone, ids } of list.pins) {
    const texture = labels.get({ kind: 'pin', tone, count: ids.length });
    pool.add({ texture, at: whole(x, y), anchor: [0.5, 1] });
  }
}

type Frame = Readonly<{ width: number; top: number }>;

/** Names, bubbles and counts: above everything. */
export function drawLabels(pool: SpritePool, list: DrawList, { labels, width, top }: Tools & Frame): void {
  for (const { x, y, text, tone, selected } of list.names)
    pool.add({ texture: labels.get({ kind: 'name', text, tone, selected }), at: whole(x, y), anchor: [0.5, 0] });
  for (const { x, y, count, radius } of list.clusters)
    pool.add({ texture: labels.get({ kind: 'cluster', count, radius: Math.round(radius) }), at: whole(x, y) });
  for (const { x, y, text, count, alpha } of list.bubbles.toReversed()) {
    const texture = labels.get({ kind: 'bubble', text, crowd: count > 2 });
    const left = clamp(x, texture.width / 2 + 6, width - texture.width / 2 - 6);
    pool.add({ texture, at: whole(left, Math.max(y, top + texture.height + 4)), anchor: [0.5, 1], alpha });
  }
}

/** The nearest whole pixel, so that text stays sharp. */
function whole(x: number, y: number): Point {
  return { x: Math.round(x), y: Math.round(y) };
}
