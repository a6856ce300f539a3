import { z } from 'zod';
import { CELL_SIZE, MAX_PINNED, VIEW_MAX_TILES } from './constants.ts';
import { Activity, Emote, Lead } from './event.ts';
import { ItemId, TilePosition } from './map.ts';

/** The slot of an agent, below 65,535; an `agent` message maps it to the agent. The text form adds `agent_id`. */
const slot = { agent: z.int().min(0), agent_id: z.string().optional() };

/** The server and the viewer compute the tiles of the path from this record and the map. */
export const PathRecord = z.strictObject({
  from: TilePosition,
  lead: Lead,
  to: TilePosition,
  start_tick: z.int().min(0),
});
export type PathRecord = z.infer<typeof PathRecord>;

export const FrameItem = z.strictObject({
  item_id: ItemId,
  position: TilePosition.nullable(),
  held_by: z.int().nullable(),
});
export type FrameItem = z.infer<typeof FrameItem>;

export const AgentEntry = z.strictObject({
  ...slot,
  path: PathRecord,
  /** The previous path while viewers still draw the agent on it. */
  before: PathRecord.nullable(),
  awake: z.boolean(),
  online: z.boolean(),
  activity: z.strictObject({ activity: Activity, until_tick: z.int() }).nullable(),
  /** `tick` is its start. */
  speech: z.strictObject({ text: z.string(), tick: z.int() }).nullable(),
  /** `tick` is its start. */
  emote: z.strictObject({ emote: Emote, tick: z.int() }).nullable(),
  inventory: z.array(ItemId),
});
export type AgentEntry = z.infer<typeof AgentEntry>;

export const FrameMessage = z.discriminatedUnion('kind', [
  // If `resumed` is false, the viewer must forget all that earlier connections sent.
  z.strictObject({
    kind: z.literal('hello'),
    map_version: z.string(),
    tick_ms: z.int(),
    resumed: z.boolean(),
  }),
  // A rectangle in cells. The viewer forgets all items outside it, and all agents outside it that are not pinned.
  z.strictObject({
    kind: z.literal('view'),
    x: z.int(),
    y: z.int(),
    width: z.int(),
    height: z.int(),
    zoom: z.enum(['near', 'mid', 'far']),
    pinned: z.array(z.int()),
  }),
  // Sent before the slot is first mentioned and again when another agent takes it.
  z.strictObject({
    kind: z.literal('agent'),
    agent: z.int(),
    agent_id: z.string(),
    display_name: z.string(),
  }),
  // With `reset`, the viewer first forgets what it knew of the cell.
  z.strictObject({
    kind: z.literal('keyframe'),
    cell: z.int(),
    reset: z.boolean(),
    agents: z.array(AgentEntry),
    items: z.array(FrameItem),
  }),
  z.strictObject({ kind: z.literal('spawn'), entry: AgentEntry }),
  z.strictObject({ kind: z.literal('despawn'), ...slot }),
  z.strictObject({ kind: z.literal('path'), ...slot, path: PathRecord }),
  // A path that begins where the previous path is at `start_tick`. Only the binary form has this message.
  z.strictObject({
    kind: z.literal('turn'),
    ...slot,
    start_tick: z.int().min(0),
    dx: z.int(),
    dy: z.int(),
  }),
  z.strictObject({
    kind: z.literal('state'),
    ...slot,
    awake: z.boolean(),
    online: z.boolean(),
    activity: z.strictObject({ activity: Activity, until_tick: z.int() }).nullable(),
    /** `tick` is its start. */
    emote: z.strictObject({ emote: Emote, tick: z.int() }).nullable(),
  }),
  // `tick` is the start of the speech.
  z.strictObject({ kind: z.literal('speech'), ...slot, tick: z.int(), text: z.string() }),
  // The item is gone if `position` and `held_by` are both null.
  z.strictObject({ kind: z.literal('item'), item: FrameItem }),
  // The number of agents in each cell that is not empty.
  z.strictObject({
    kind: z.literal('cluster'),
    cells: z.array(z.strictObject({ cell: z.int(), count: z.int() })),
  }),
  // The frame only reports its tick.
  z.strictObject({ kind: z.literal('clock') }),
]);
export type FrameMessage = z.infer<typeof FrameMessage>;
export type FrameMessageOf<K extends FrameMessage['kind']> = Extract<FrameMessage, { kind: K }>;

/** An `urgent` frame (speech) overtakes updates. Its `seq` is that of the last sent update: a resume misses nothing. */
export const WorldStateFrame = z.strictObject({
  type: z.literal('world_state'),
  epoch: z.int().min(0).max(65_535),
  tick: z.int().min(0),
  seq: z.int().min(0),
  urgent: z.boolean(),
  messages: z.array(FrameMessage),
});
export type WorldStateFrame = z.infer<typeof WorldStateFrame>;

/** A coordinate in tiles, which may lie beyond the edge of the map. */
const ViewTile = z
  .number()
  .min(-16 * VIEW_MAX_TILES)
  .max(16 * VIEW_MAX_TILES);
const HeldCell = z
  .int()
  .min(0)
  .max(VIEW_MAX_TILES / CELL_SIZE);

/** `view`: a rectangle in tiles. `resume`, before the first `view`: where an earlier connection ended. */
export const ViewerMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('view'),
    x: ViewTile,
    y: ViewTile,
    width: z.number().min(1).max(VIEW_MAX_TILES),
    height: z.number().min(1).max(VIEW_MAX_TILES),
    zoom: z.enum(['near', 'mid', 'far']),
    pinned: z.array(z.string().max(63)).max(MAX_PINNED).default([]),
  }),
  z.strictObject({
    type: z.literal('resume'),
    epoch: z.int().min(0),
    seq: z.int().min(0),
    /** The cells that the viewer still has; if absent, the server sends everything. */
    cells: z.strictObject({ x: HeldCell, y: HeldCell, width: HeldCell, height: HeldCell }).optional(),
  }),
]);
export type ViewerMessage = z.infer<typeof ViewerMessage>;
export type Zoom = 'near' | 'mid' | 'far';

/** Close code for a viewer that reads too slowly. */
export const CLOSE_SLOW_VIEWER = 4008;
