import type { DrawnAgent } from '@hamlet/core';
import type { Camera, TileRect, Viewport } from './camera.ts';
import type { Daylight } from './daylight.ts';
import { type DrawList, within } from './draw-list.ts';

/** Everything that a frame shows. */
export interface MapFrame {
  readonly list: DrawList;
  readonly camera: Camera;
  readonly viewport: Viewport;
  readonly visible: TileRect;
  readonly light: Daylight;
  readonly tick: number;
}

/** Equal texts mean equal pictures, so that a map on which nothing changes is not drawn again. */
export function pictureOf({ list, camera, viewport, light, tick }: MapFrame): string {
  // Sleepers snore and busy hands move with each tick.
  const moves = list.figures.some(({ asleep, hands }) => asleep || hands !== null);
  return JSON.stringify([list, camera, viewport, light.tint, light.glow.toFixed(2), moves ? tick : null]);
}

/** True if an agent in sight walks, or if words fade. */
export function isMoving({ list, visible }: MapFrame, agents: readonly DrawnAgent[]): boolean {
  return list.bubbles.some(({ alpha }) => alpha < 1) || agents.some((agent) => agent.moving && within(visible, agent));
}
