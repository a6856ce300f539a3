import type { Landmark, TilePosition, Zone } from '@hamlet/contract';
import { tileIndex } from './path-tiles.ts';
import type { WorldMap } from './world-map.ts';

export function landmarkById(map: WorldMap, landmarkId: string): Landmark | null {
  return map.landmarks[map.landmarkIndex.get(landmarkId) ?? -1] ?? null;
}

export function landmarkAt(map: WorldMap, position: TilePosition): Landmark | null {
  const slot = map.slotAt.get(tileIndex(map, position));
  return slot === undefined ? null : (map.landmarks[map.slots[slot]?.landmark ?? -1] ?? null);
}

export function zoneAt(map: WorldMap, position: TilePosition): Zone | null {
  return map.zones[(map.zoneOf[tileIndex(map, position)] ?? 0) - 1] ?? null;
}

/** Rank of a name such as `tier-2`; 0 if no tier is needed. */
export function rankOf(unlockedBy: string | undefined): number {
  return unlockedBy === undefined ? 0 : Number(unlockedBy.slice('tier-'.length));
}
