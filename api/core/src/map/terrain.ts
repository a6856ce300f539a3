import { type Terrain, TERRAINS } from '@hamlet/contract';

/** Cost of a step onto a tile; 0 if it is not walkable. Roads are cheaper than grass, so walks follow them. */
const STEP_COST: Readonly<Record<Terrain, number>> = {
  grass: 3,
  meadow: 3,
  flowers: 4,
  tree: 0,
  pine: 0,
  bush: 0,
  road: 2,
  plaza: 2,
  bridge: 2,
  water: 0,
  deep_water: 0,
  sand: 3,
  soil: 3,
  wall: 0,
  floor: 2,
  wood_floor: 2,
  rug: 2,
  door: 2,
  window: 0,
  fence: 0,
  counter: 0,
  table: 0,
  bed: 4,
  bookshelf: 0,
  workbench: 0,
  notice_board: 0,
  well: 0,
  stall: 0,
  stone: 0,
  crop: 4,
};

/** The cost of grass: the route search estimates with it. */
export const USUAL_STEP_COST = 3;
/** Greatest step cost; the flow field has one bucket more. */
export const MAX_STEP_COST = 4;

const CODES = new Map<Terrain, number>(TERRAINS.map((terrain, code) => [terrain, code]));

export const terrainCode = (terrain: Terrain): number => CODES.get(terrain) ?? 0;

export const STEP_COSTS = Uint8Array.from(TERRAINS, (terrain) => STEP_COST[terrain]);

export const LEGEND: readonly { readonly terrain: Terrain; readonly walkable: boolean }[] = TERRAINS.map((terrain) => ({
  terrain,
  walkable: STEP_COST[terrain] > 0,
}));
