import type { DrawnAgent } from '@hamlet/core';
import type { Camera, Point, TileRect, Viewport } from './model/camera.ts';
import type { SceneCluster, SceneItem } from './model/scene.ts';

/** The world at one instant. `minute` is the minute of the village's day. */
export interface Moment {
  readonly tick: number;
  readonly minute: number;
  readonly agents: readonly DrawnAgent[];
  readonly items: readonly SceneItem[];
  readonly clusters: readonly SceneCluster[];
}

export interface MapHost {
  moment(): Moment;
  /** A tap outside of pins: the id of the agent, or null for open ground. */
  select(id: string | null): void;
  /** A tap on a pin: the ids of its posts, newest first. */
  openPin(ids: readonly string[]): void;
  /** A tap while the person picks a place: the tile of the tap. */
  picked(tile: Point): void;
  follow(on: boolean): void;
  /** Reports the camera when it stops, and at intervals while it moves. `chosen`: a person moved it. */
  moved(camera: Camera, visible: TileRect, chosen: boolean): void;
  measured(frameMs: number): void;
}

/** CSS pixels that panels cover on each side. */
export type Insets = Pick<Viewport, 'insetLeft' | 'insetRight' | 'insetTop' | 'insetBottom'>;
