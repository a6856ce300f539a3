import type { DrawnAgent } from '@hamlet/core';

/**
 * One agent at the drawn moment. `asleep` means that it is suspended and has no pod. Positions are fractions of tiles;
 * `x + 0.5, y + 0.5` is the middle of tile `x, y`.
 */
export interface SceneAgent extends Omit<DrawnAgent, 'agent' | 'agentId' | 'inventory' | 'emote' | 'activity'> {
  readonly id: string;
  readonly emote: string | null;
  readonly activity: string;
  readonly carried: readonly string[];
}

/** An item that lies on a tile. */
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

/** A post that is pinned to a tile. `chosen`: the post is open; `draft`: a person is writing it. */
export interface ScenePin {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly tone: 'plain' | 'chosen' | 'draft';
}

/** The number of agents in a cell, for a view that is too far away for single agents. */
export interface SceneCluster {
  readonly x: number;
  readonly y: number;
  readonly count: number;
}
