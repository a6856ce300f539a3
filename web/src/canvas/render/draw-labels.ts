import { clamp } from '../model/camera.ts';
import type { DrawList } from '../model/draw-list.ts';
import type { Tools } from './draw-figures.ts';
import type { SpritePool } from './sprite-pool.ts';

/** Names of zones and places: under the figures, so that they cover no agent. */
export function drawMarks(pool: SpritePool, list: DrawList, tools: Tools): void {
  for (const zone of list.zones) {
    if (zone.labelAlpha === 0) continue;
    const texture = tools.labels.get({ kind: 'zone', text: zone.text });
    if (texture.width > zone.width) continue;
    pool.add({
      texture,
      x: Math.round(zone.x + zone.width / 2),
      y: Math.round(zone.y + 16),
      anchorX: 0.5,
      anchorY: 0.5,
      alpha: zone.labelAlpha,
    });
  }
  for (const landmark of list.landmarks) {
    const texture = tools.labels.get({
      kind: 'landmark',
      text: landmark.text,
      icon: landmark.kind,
      labelled: landmark.labelled,
    });
    pool.add({
      texture,
      x: Math.round(landmark.x),
      y: Math.round(landmark.y),
      anchorX: landmark.labelled ? 13.5 / texture.width : 0.5,
      anchorY: 0.5,
    });
  }
}

/** Pins of posts: above the ground and its names, under the figures. */
export function drawPins(pool: SpritePool, list: DrawList, tools: Tools): void {
  for (const pin of list.pins) {
    pool.add({
      texture: tools.labels.get({ kind: 'pin', tone: pin.tone, count: pin.ids.length }),
      x: Math.round(pin.x),
      y: Math.round(pin.y),
      anchorX: 0.5,
      anchorY: 1,
    });
  }
}

/** Names, bubbles and counts: above everything, at whole pixels so that text stays sharp. */
export function drawLabels(
  pool: SpritePool,
  list: DrawList,
  tools: Tools & { readonly width: number; readonly top: number },
): void {
  for (const name of list.names) {
    pool.add({
      texture: tools.labels.get({ kind: 'name', text: name.text, tone: name.tone, selected: name.selected }),
      x: Math.round(name.x),
      y: Math.round(name.y),
      anchorX: 0.5,
      anchorY: 0,
    });
  }
  for (const cluster of list.clusters) {
    pool.add({
      texture: tools.labels.get({ kind: 'cluster', count: cluster.count, radius: Math.round(cluster.radius) }),
      x: Math.round(cluster.x),
      y: Math.round(cluster.y),
      anchorX: 0.5,
      anchorY: 0.5,
    });
  }
  for (const bubble of list.bubbles.toReversed()) {
    const texture = tools.labels.get({ kind: 'bubble', text: bubble.text, crowd: bubble.count > 2 });
    const x = clamp(bubble.x, texture.width / 2 + 6, tools.width - texture.width / 2 - 6);
    pool.add({
      texture,
      x: Math.round(x),
      y: Math.round(Math.max(bubble.y, tools.top + texture.height + 4)),
      anchorX: 0.5,
      anchorY: 1,
      alpha: bubble.alpha,
    });
  }
}
