import { Landmark, Zone } from '@hamlet/contract';
import { buildMap, mapResponse, type WorldMap } from '@hamlet/core';
import { keepMap, keptPlan, type Db } from '@hamlet/store';
import { z } from 'zod';

const SIDE_MAX_TILES = 4_096;

const PlanText = z.strictObject({
  width: z.int().min(1).max(SIDE_MAX_TILES),
  height: z.int().min(1).max(SIDE_MAX_TILES),
  terrain: z.base64(),
  landmarks: z.array(Landmark),
  zones: z.array(Zone),
});

/** Checks a plan but returns the original: a map's version depends on the order of keys, which parsing would change. */
const WrittenPlan = z.custom<z.infer<typeof PlanText>>(
  (value) => PlanText.safeParse(value).success,
  'the plan of a map',
);

export function writePlan(map: WorldMap): string {
  const { width, height, terrain } = mapResponse(map);
  return JSON.stringify({ width, height, terrain, landmarks: map.landmarks, zones: map.zones });
}

/** Rebuilds the map of a text. Throws if the text is not a plan, or builds a map of another version. */
export function readPlan(text: string, version: string): WorldMap {
  const plan = WrittenPlan.parse(JSON.parse(text));
  const map = buildMap({ ...plan, terrain: new Uint8Array(Buffer.from(plan.terrain, 'base64')) });
  if (map.version !== version)
    throw new Error(
      `The stored plan of map ${version} builds map ${map.version}: it is damaged. Restore the table world_map from a backup`,
    );
  return map;
}

export class MapStore {
  readonly #db: Db;
  readonly current: WorldMap;

  constructor(db: Db, current: WorldMap) {
    this.#db = db;
    this.current = current;
  }

  /** The map of a version. Throws, with the fix, if the village has not stored it. */
  async get(version: string): Promise<WorldMap> {
    if (version === this.current.version) return this.current;
    const plan = await keptPlan(this.#db, version);
    if (plan !== null) return readPlan(plan, version);
    throw new Error(
      `The saved world uses map ${version}, but this version of Hamlet has map ${this.current.version}, and the village has not stored the plan of the saved map. ` +
        `Nothing was changed. Start the version of Hamlet that has map ${version}, which stores the plan. Then upgrade again`,
    );
  }

  async keepCurrent(): Promise<void> {
    await keepMap(this.#db, { version: this.current.version, sinceSeq: 0, plan: writePlan(this.current) });
  }
}
