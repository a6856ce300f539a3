import type { Affordance, Landmark, TilePosition, Zone } from '@hamlet/contract';
import { walkTiles, tileIndex } from './path-tiles.ts';
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

/** -1 if no path leads there. */
export function walkingDistance(map: WorldMap, from: TilePosition, landmarkId: string): number {
  const lengths = (landmarkById(map, landmarkId)?.slots ?? [])
    .map((slot) => walkTiles(map, tileIndex(map, from), tileIndex(map, slot))?.length ?? 0)
    .filter((length) => length > 0);
  return lengths.length === 0 ? -1 : Math.min(...lengths) - 1;
}

/** The landmark with the shortest walk; null if none is open to the rank. */
export function nearestLandmark(
  map: WorldMap,
  from: TilePosition,
  wanted: { readonly affordance: Affordance; readonly rank?: number },
): Landmark | null {
  const reachable = map.landmarks
    .filter(
      (landmark) =>
        landmark.affordances.includes(wanted.affordance) && rankOf(landmark.unlocked_by) <= (wanted.rank ?? 0),
    )
    .map((landmark) => ({ landmark, tiles: walkingDistance(map, from, landmark.landmark_id) }))
    .filter(({ tiles }) => tiles >= 0);
  return reachable.toSorted((a, b) => a.tiles - b.tiles)[0]?.landmark ?? null;
}
