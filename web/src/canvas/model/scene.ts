import { parseItemId } from '@hamlet/core';

/** The kind of an item by its id; an id of another form is drawn as a parcel. */
export const itemKind = (itemId: string): string => parseItemId(itemId)?.kind ?? 'parcel';

export type SceneItem = Readonly<{ id: string; kind: string; x: number; y: number }>;

export interface SceneLandmark {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly x: number;
  readonly y: number;
  readonly slots: readonly { readonly x: number; readonly y: number }[];
}

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
export type ScenePin = Readonly<{ id: string; x: number; y: number; tone: 'plain' | 'chosen' | 'draft' }>;

/** The number of agents in a cell, for a view that is too far away for single agents. */
export type SceneCluster = Readonly<{ x: number; y: number; count: number }>;
