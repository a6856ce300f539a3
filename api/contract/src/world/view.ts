import { z } from 'zod';
import { Activity } from './event.ts';
import { ItemId, ItemKind, Landmark, TilePosition, Zone } from './map.ts';

/** Activities of an agent's hands, visible to everyone. `working`: any other tool. `waiting`: for a person's permission. */
export const HANDS_ACTIVITIES = ['typing', 'reading', 'browsing', 'building', 'working', 'waiting'] as const;
export const HandsActivity = z.enum(HANDS_ACTIVITIES);
export type HandsActivity = z.infer<typeof HandsActivity>;

/** Maximum number of agents in one message; the others follow later. */
export const HANDS_SHOWN_MAX = 2_000;

/**
 * A text message next to the frames of `/ws/world`: agents whose hands' activity began, changed or ended (null). With
 * `reset` it lists all active agents, and the viewer forgets the others.
 */
export const HandsMessage = z.strictObject({
  type: z.literal('hands'),
  reset: z.boolean(),
  agents: z.record(z.string().max(63), HandsActivity.nullable()),
});
export type HandsMessage = z.infer<typeof HandsMessage>;

/** An item, which either lies on a tile or is held. */
export const ItemView = z.strictObject({
  item_id: ItemId,
  kind: ItemKind,
  position: TilePosition.nullable(),
  held_by: z.string().nullable(),
});
export type ItemView = z.infer<typeof ItemView>;

export const AgentPlace = z.strictObject({
  agent_id: z.string(),
  display_name: z.string(),
  position: TilePosition,
  moving_to: z
    .strictObject({ x: z.int(), y: z.int(), landmark_id: z.string().nullable(), arrives_tick: z.int() })
    .nullable(),
  activity: Activity,
  speech: z.strictObject({ text: z.string(), tick: z.int() }).nullable(),
  inventory: z.array(z.strictObject({ item_id: ItemId, kind: ItemKind })),
  zone_id: z.string().nullable(),
  landmark_id: z.string().nullable(),
  home: z.string(),
});
export type AgentPlace = z.infer<typeof AgentPlace>;

/** `healthy` has an open stream, `unreachable` is awake without one, `asleep` needs none. */
export const AgentPresence = z.strictObject({
  online: z.boolean(),
  last_seen: z.iso.datetime().nullable(),
  health: z.enum(['healthy', 'unreachable', 'asleep']),
});

export const AgentView = AgentPlace.extend({ status: AgentPresence, power: z.enum(['Awake', 'Asleep']) });
export type AgentView = z.infer<typeof AgentView>;

export const VillageTime = z.strictObject({
  day: z.int().min(0),
  minute: z.int().min(0).max(1439),
  phase: z.enum(['night', 'morning', 'day', 'evening']),
});
export type VillageTime = z.infer<typeof VillageTime>;

export const WorldView = z.strictObject({
  world_size: z.strictObject({ width: z.int(), height: z.int() }),
  tick: z.int(),
  tick_ms: z.int(),
  epoch: z.int(),
  seq: z.int(),
  time: VillageTime,
  landmarks: z.array(Landmark),
  zones: z.array(Zone),
  agents: z.array(AgentView),
  items: z.array(ItemView),
});
export type WorldView = z.infer<typeof WorldView>;
