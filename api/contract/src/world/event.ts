import { z } from 'zod';
import { ItemId, TilePosition } from './map.ts';

/** The emotes: a closed list, because every viewer must draw each. */
export const EMOTES = [
  'wave',
  'smile',
  'laugh',
  'think',
  'nod',
  'shrug',
  'question',
  'surprise',
  'dance',
  'cheer',
  'sleepy',
  'heart',
] as const;
export const Emote = z.enum(EMOTES);
export type Emote = z.infer<typeof Emote>;

/** Activities that an event can start; `idle` and `walking` follow from the path. */
export const ACTIVITIES = [
  'idle',
  'walking',
  'sleeping',
  'resting',
  'drinking_coffee',
  'shopping',
  'crafting',
  'reading',
  'drawing_water',
  'fishing',
  'tending',
  'gathering_wood',
  'sitting',
  'at_board',
  'meeting',
  'stargazing',
  'eating',
  'drinking',
  'smelling',
  'working',
] as const;
export const Activity = z.enum(ACTIVITIES);
export type Activity = z.infer<typeof Activity>;

const AgentName = z.string().min(1).max(63);
const at = { seq: z.int().min(1), tick: z.int().min(0) };
const by = { ...at, agent_id: AgentName };

/** The step under way when a path began: 0 none, 1 north, 2 east, 3 south, 4 west. */
export const Lead = z.int().min(0).max(4);

/** `seq` counts from 1 without gaps; the events in this order give the state of the world. */
export const WorldEvent = z.discriminatedUnion('kind', [
  z.strictObject({
    ...by,
    kind: z.literal('spawn'),
    display_name: z.string(),
    home: z.string(),
    x: z.int(),
    y: z.int(),
    tier: z.int().min(0).max(255),
    awake: z.boolean(),
    online: z.boolean(),
  }),
  // Carried items fall where the agent stood.
  z.strictObject({ ...by, kind: z.literal('despawn') }),
  z.strictObject({
    ...by,
    kind: z.literal('state'),
    awake: z.boolean().optional(),
    online: z.boolean().optional(),
    tier: z.int().min(0).max(255).optional(),
    display_name: z.string().optional(),
    home: z.string().optional(),
  }),
  // The position at any later tick follows from the path.
  z.strictObject({
    ...by,
    kind: z.literal('move'),
    from: TilePosition,
    lead: Lead,
    to: TilePosition,
    landmark_id: z.string().nullable(),
    start_tick: z.int().min(0),
    arrives_tick: z.int().min(0),
  }),
  z.strictObject({
    ...by,
    kind: z.literal('arrive'),
    x: z.int(),
    y: z.int(),
    landmark_id: z.string().nullable(),
  }),
  z.strictObject({ ...by, kind: z.literal('talk'), text: z.string(), to: AgentName.nullable() }),
  z.strictObject({ ...by, kind: z.literal('emote'), emote: Emote }),
  z.strictObject({ ...by, kind: z.literal('pick_up'), item_id: ItemId }),
  z.strictObject({ ...by, kind: z.literal('drop'), item_id: ItemId, x: z.int(), y: z.int() }),
  z.strictObject({
    ...by,
    kind: z.literal('use'),
    target: z.string(),
    activity: Activity,
    until_tick: z.int(),
    gives: ItemId.nullable(),
    consumes: ItemId.nullable(),
  }),
  z.strictObject({ ...by, kind: z.literal('use_board'), text: z.string().nullable(), until_tick: z.int() }),
  z.strictObject({
    ...at,
    kind: z.literal('item_spawn'),
    item_id: ItemId,
    x: z.int(),
    y: z.int(),
  }),
  z.strictObject({ ...at, kind: z.literal('item_remove'), item_id: ItemId }),
  // Earlier events belong to the previous map.
  z.strictObject({ ...at, kind: z.literal('map'), map_version: z.string().min(1).max(64) }),
]);
export type WorldEvent = z.infer<typeof WorldEvent>;
export type WorldEventKind = WorldEvent['kind'];
export type WorldEventOf<K extends WorldEventKind> = Extract<WorldEvent, { kind: K }>;

/** Events that viewers may see up to 100 ms before their commit; the API commits all others before it answers. */
export const GROUP_COMMITTED_EVENTS = ['move', 'arrive', 'emote'] as const satisfies readonly WorldEventKind[];
