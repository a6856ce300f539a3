import type { SceneLandmark, SceneZone } from '../../canvas/model/scene.ts';

export type Places = Readonly<{ landmarks: readonly SceneLandmark[]; zones: readonly SceneZone[] }>;
type Point = Readonly<{ x: number; y: number }>;

/** The landmark at a tile, or the landmark that has one of its slots there. */
export function landmarkAt(landmarks: readonly SceneLandmark[], at: Point): SceneLandmark | undefined {
  const x = Math.round(at.x);
  const y = Math.round(at.y);
  return landmarks.find(
    (landmark) => (landmark.x === x && landmark.y === y) || landmark.slots.some((slot) => slot.x === x && slot.y === y),
  );
}

/** The name of the landmark at this tile, or of the smallest zone around it; null if there is neither. */
export function placeName({ landmarks, zones }: Places, at: Point): string | null {
  const landmark = landmarkAt(landmarks, at);
  if (landmark !== undefined) return landmark.name;
  const around = zones.filter(
    (zone) => at.x >= zone.x && at.y >= zone.y && at.x < zone.x + zone.width && at.y < zone.y + zone.height,
  );
  return (
    around.reduce<SceneZone | undefined>(
      (best, zone) => (best === undefined || zone.width * zone.height < best.width * best.height ? zone : best),
      undefined,
    )?.name ?? null
  );
}
