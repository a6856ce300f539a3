import type { DrawnAgent } from '@hamlet/core';
import type { FrameInput } from './draw-list.ts';

export const ADA: DrawnAgent = {
  agent: 1,
  agentId: 'ada',
  name: 'Ada',
  x: 50,
  y: 50,
  facing: 'south',
  moving: false,
  asleep: false,
  online: true,
  speech: null,
  emote: null,
  activity: 'idle',
  inventory: [],
};

/** A frame with Ada in the middle of the view. */
export function frame(change: Partial<FrameInput> = {}): FrameInput {
  return {
    camera: { x: 50, y: 50, zoom: 32 },
    viewport: { width: 800, height: 600, insetLeft: 0, insetRight: 0, insetTop: 0, insetBottom: 0 },
    visible: { x: 37, y: 40, width: 26, height: 20 },
    tick: 1000,
    agents: [ADA],
    items: [],
    landmarks: [],
    zones: [],
    clusters: [],
    pins: [],
    selected: null,
    hovered: null,
    hands: new Map(),
    ...change,
  };
}
