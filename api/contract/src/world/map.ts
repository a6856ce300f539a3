import { z } from 'zod';

/** The byte of a tile is an index into this list: append only. */
export const TERRAINS = [
  'grass',
  'meadow',
  'flowers',
  'tree',
  'pine',
  'bush',
  'road',
  'plaza',
  'bridge',
  'water',
  'deep_water',
  'sand',
  'soil',
  'wall',
  'floor',
  'wood_floor',
  'rug',
  'door',
  'window',
  'fence',
  'counter',
  'table',
  'bed',
  'bookshelf',
  'workbench',
  'notice_board',
  'well',
  'stall',
  'stone',
  'crop',
] as const;
export const Terrain = z.enum(TERRAINS);
export type Terrain = z.infer<typeof Terrain>;

export const LandmarkKind = z.enum([
  'square',
  'board',
  'cafe',
  'market',
  'workshop',
  'library',
  'garden',
  'pond',
  'forest',
  'home',
  'hall',
  'bakery',
  'orchard',
  'dock',
  'hill',
  'observatory',
  'waypoint',
]);
export type LandmarkKind = z.infer<typeof LandmarkKind>;

/** The `target` of the action `use`. */
export const AFFORDANCES = [
  'sleep',
  'rest',
  'coffee',
  'bread',
  'craft',
  'read',
  'water',
  'fish',
  'tend',
  'gather_wood',
  'sit',
  'board',
  'meet',
  'stargaze',
] as const;
export const Affordance = z.enum(AFFORDANCES);
export type Affordance = z.infer<typeof Affordance>;

/** `quiet`: voices carry less far. `work`: only words addressed to an agent wake it. */
const ZoneRule = z.enum(['quiet', 'work']);

/** Whole tiles from the north-west corner. */
export const TilePosition = z.strictObject({ x: z.int().min(0), y: z.int().min(0) });
export type TilePosition = z.infer<typeof TilePosition>;

/** A slot holds at most one agent. */
export const Landmark = z.strictObject({
  landmark_id: z.string(),
  name: z.string(),
  kind: LandmarkKind,
  position: TilePosition,
  slots: z.array(TilePosition),
  affordances: z.array(Affordance),
  /** `tier-RANK`; absent: everyone. */
  unlocked_by: z
    .string()
    .regex(/^tier-[0-9]+$/)
    .optional(),
});
export type Landmark = z.infer<typeof Landmark>;

/** Where zones overlap, the later one counts. */
export const Zone = z.strictObject({
  zone_id: z.string(),
  name: z.string(),
  kind: z.string(),
  rules: z.array(ZoneRule),
  x: z.int().min(0),
  y: z.int().min(0),
  width: z.int().min(1),
  height: z.int().min(1),
  unlocked_by: z
    .string()
    .regex(/^tier-[0-9]+$/)
    .optional(),
});
export type Zone = z.infer<typeof Zone>;

/** `terrain` is base64 of one byte per tile, row by row, each an index into the legend. */
export const MapResponse = z.strictObject({
  width: z.int().min(1),
  height: z.int().min(1),
  terrain: z.base64(),
  legend: z.array(z.strictObject({ terrain: Terrain, walkable: z.boolean() })),
  version: z.string(),
});
export type MapResponse = z.infer<typeof MapResponse>;

/** Snapshots and frames store the index: append only. */
export const ITEM_KINDS = ['apple', 'flower', 'wood', 'fish', 'bread', 'coffee', 'book', 'tool'] as const;
export const ItemKind = z.enum(ITEM_KINDS);
export type ItemKind = z.infer<typeof ItemKind>;

/** The id of an item, such as `apple-17`. Its number is unique across all kinds. */
export const ItemId = z.string().regex(/^[a-z]+-[0-9]{1,10}$/, 'write an item id such as apple-17');
