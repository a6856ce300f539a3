import type { DrawnAgent } from '@hamlet/core';
import type { Camera, TileRect, Viewport } from './camera.ts';
import { type Daylight, lightStep } from './daylight.ts';
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

/** The badge of busy hands changes every 4 ticks. */
const BADGE_TICKS = 4;

/** Counts the changes of all badges up to a tick. */
export const badgeSteps = (tick: number): number => Math.floor(tick / BADGE_TICKS);

/**
 * Equal texts mean equal pictures, so that a map on which nothing changes is not drawn again. A slightly different
 * light waits until something else changes; `isCalm`: snores and busy hands do too.
 */
export function pictureOf({ list, camera, viewport, light, tick }: MapFrame, isCalm: boolean): string {
  const snores = !isCalm && list.figures.some(({ asleep }) => asleep) ? tick : null;
  const badges = !isCalm && list.figures.some(({ hands }) => hands !== null) ? badgeSteps(tick) : null;
  return JSON.stringify([list, camera, viewport, lightStep(light), snores, badges]);
}

/** True if the picture changes by itself: words or an emote will go, or figures sleep or use their hands and are not calm. */
export function isLively({ bubbles, figures }: DrawList, isCalm: boolean): boolean {
  return (
    bubbles.length > 0 ||
    figures.some(({ asleep, hands, emote }) => emote !== null || (!isCalm && (asleep || hands !== null)))
  );
}

/** True if an agent in sight walks, or if words fade. */
export function isMoving({ list, visible }: MapFrame, agents: readonly DrawnAgent[]): boolean {
  return list.bubbles.some(({ alpha }) => alpha < 1) || agents.some((agent) => agent.moving && within(visible, agent));
}
