import { parseItemId } from '@hamlet/core';

/** The kind of an item by its id; an id of another form is drawn as a parcel. */
export function itemKind(itemId: string): string {
  return parseItemId(itemId)?.kind ?? 'parcel';
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
