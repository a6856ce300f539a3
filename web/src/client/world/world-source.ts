import type { MapResponse, WorldView } from '@hamlet/contract';
import { buildMap, type WorldMap } from '@hamlet/core';
import type { Moment } from '../../canvas/map-host.ts';
import type { TileRect } from '../../canvas/model/camera.ts';
import { createTileMap } from '../../canvas/model/tile-map.ts';
import type { StageWorld } from '../../canvas/render/stage.ts';
import type { WorldEvent } from './world-events.ts';

type Tile = Readonly<{ x: number; y: number }>;

/** The drawn world. Its clock, in ticks, follows the server. */
export interface WorldSource {
  /** Loads the map and starts. Resolves to null after a failure; the store has the reason. */
  load(): Promise<StageWorld | null>;
  /** The world at the source's clock; null before it is loaded. */
  moment(): Moment | null;
  /** The tile that each walking agent goes to. */
  goals(): ReadonlyMap<string, Tile>;
  look(rect: TileRect, zoom: number): void;
  /** Calls the listener at each change of the world, with its events: an agent that comes into view is a change without one. */
  subscribe(listener: (events: readonly WorldEvent[]) => void): () => void;
  stop(): void;
}

export const NO_GOALS: ReadonlyMap<string, Tile> = new Map();

export class EventListeners {
  readonly #listeners = new Set<(events: readonly WorldEvent[]) => void>();

  readonly subscribe: WorldSource['subscribe'] = (listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  emit(events: readonly WorldEvent[]): void {
    for (const listener of this.#listeners) listener(events);
  }
}

/** The map as the rules of `core` need it. Throws if it cannot read the map. */
export function worldMapOf(map: MapResponse, world: WorldView): WorldMap {
  return buildMap({
    width: map.width,
    height: map.height,
    terrain: bytesOf(map.terrain),
    landmarks: world.landmarks,
    zones: world.zones,
  });
}

export function stageWorldOf(map: MapResponse, world: WorldView): StageWorld {
  return {
    map: createTileMap(
      map,
      bytesOf(map.terrain),
      map.legend.map((entry) => entry.terrain),
    ),
    zones: world.zones.map(({ zone_id: id, ...zone }) => ({ id, ...zone })),
    landmarks: world.landmarks.map(({ landmark_id: id, name, kind, position, slots }) => ({
      id,
      name,
      kind,
      ...position,
      slots,
    })),
  };
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
