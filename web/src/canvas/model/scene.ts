import type { DrawnAgent } from '@hamlet/core';

/** One agent at the drawn moment; `asleep` means that it was put to sleep and has no pod. Positions are tiles as fractions; `x + 0.5, y + 0.5` is the middle of tile `x, y`. */
export interface SceneAgent extends Omit<DrawnAgent, 'agent' | 'agentId' | 'inventory' | 'emote' | 'activity'> {
  readonly id: string;
  readonly emote: string | null;
  readonly activity: string;
  readonly carried: readonly string[];
}

/** A thing that lies on a tile. */
export interface SceneItem {
  readonly id: string;
  readonly kind: string;
  readonly x: number;
  readonly y: number;
}

/** A place with a name. */
export interface SceneLandmark {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly x: number;
  readonly y: number;
  readonly slots: readonly { readonly x: number; readonly y: number }[];
}

/** A named area with rules. */
export interface SceneZone {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A post that hangs at a tile. `chosen`: it is open; `draft`: it is being written. */
export interface ScenePin {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly tone: 'plain' | 'chosen' | 'draft';
}

/** How many agents are in a cell, when the view is too far away for single ones. */
export interface SceneCluster {
  readonly x: number;
  readonly y: number;
  readonly count: number;
}
