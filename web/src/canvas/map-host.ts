import type { Camera, Point, TileRect, Viewport } from './model/camera.ts';
import type { SceneAgent, SceneCluster, SceneItem } from './model/scene.ts';

/** The world at a moment. `minute` is the minute of the village's day. */
export interface Moment {
  readonly tick: number;
  readonly minute: number;
  readonly agents: readonly SceneAgent[];
  readonly items: readonly SceneItem[];
  readonly clusters: readonly SceneCluster[];
}

/** The map's port to the rest of the program. */
export interface MapHost {
  /** The world at the clock of its source. */
  moment(): Moment;
  /** A tap: an agent's id, or null for open ground. */
  select(id: string | null): void;
  /** A tap on a pin: the posts that hang there, the newest first. */
  openPin(ids: readonly string[]): void;
  /** A tap while a place is looked for: the tile. */
  picked(tile: Point): void;
  follow(on: boolean): void;
  /** The camera rests here now; `chosen` where a person put it there, and not a tour or a followed agent. */
  moved(camera: Camera, visible: TileRect, chosen: boolean): void;
  /** Milliseconds of the main thread that a frame took. */
  measured(frameMs: number): void;
}

/** Insets that panels take from each side, in CSS pixels. */
export type Insets = Pick<Viewport, 'insetLeft' | 'insetRight' | 'insetTop' | 'insetBottom'>;
