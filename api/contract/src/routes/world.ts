import { z } from 'zod';
import type { Refusal } from '../http/errors.ts';
import { defineRoute, json } from '../http/route.ts';
import { ObjectName } from '../kinds/text.ts';
import { Seq, Tick } from '../values/scalars.ts';
import { ActionBody, type ActionKind, MoveBody } from '../world/command.ts';
import { AROUND_DEFAULT_TILES, AROUND_MAX_TILES } from '../world/constants.ts';
import { WorldEvent } from '../world/event.ts';
import { MapResponse, TilePosition } from '../world/map.ts';
import { WorldView } from '../world/view.ts';

/** With `around`, `agents` and `items` are those near the agent, nearest first. The API ignores unknown parameters. */
export const WorldQuery = z.object({
  around: ObjectName.optional().describe(
    'Centre of the answer: only this agent and what is near it; empty if it is not in the world',
  ),
  radius: z.coerce
    .number()
    .int()
    .min(1)
    .max(AROUND_MAX_TILES)
    .default(AROUND_DEFAULT_TILES)
    .describe('Distance in tiles; used with around'),
  with: z.string().min(1).max(63).optional().describe('Another agent to include at any distance; used with around'),
});
export type WorldQuery = z.infer<typeof WorldQuery>;

export const getWorld = defineRoute('getWorld GET /world', {
  summary: 'The whole village now: size, time, landmarks, zones, agents and items',
  tag: 'world',
  permission: 'world:read',
  query: WorldQuery,
  answer: json(WorldView),
});

export const getWorldMap = defineRoute('getWorldMap GET /world/map', {
  summary: 'The terrain of the map, one byte per tile',
  tag: 'world',
  permission: 'world:read',
  answer: json(MapResponse),
});

export const MoveAnswer = z.strictObject({
  accepted_seq: Seq.describe('Number of the event, which is durable within 100 ms'),
  from: TilePosition,
  to: TilePosition,
  start_tick: Tick,
  arrives_tick: Tick,
  path_tiles: z.int().min(0),
});
export type MoveAnswer = z.infer<typeof MoveAnswer>;

export const moveAgent = defineRoute('moveAgent POST /agents/{agent_id}/move', {
  summary: 'Send an agent to a place; it walks there by itself',
  tag: 'world',
  permission: 'agent:steer',
  judged: true,
  body: MoveBody,
  answer: json(MoveAnswer),
  reasons: [
    'not_own_agent',
    'no_such_agent',
    'stale_cycle',
    'not_awake',
    'out_of_bounds',
    'unreachable',
    'no_such_landmark',
    'no_free_slot',
    'slot_taken',
    'zone_locked',
    'village_frozen',
  ],
});

/** Reasons for refusing each action, in addition to those of every command to an agent. */
export const ACTION_REASONS = {
  talk: ['text_empty', 'text_too_long', 'no_such_listener', 'out_of_earshot'],
  pick_up: ['item_not_here', 'too_far', 'inventory_full'],
  drop: ['not_holding', 'no_room_here'],
  use: ['nothing_to_use'],
  use_board: ['not_at_board', 'text_too_long', 'board_rate_limited', 'board_content_limited'],
  emote: ['emote_too_soon'],
} as const satisfies Readonly<Record<ActionKind, readonly Refusal[]>>;

export const ActionAnswer = z.strictObject({
  accepted_seq: Seq,
  durable_seq: Seq.nullable().describe(
    'Number of the committed event; null while it is not committed yet (at most 100 ms)',
  ),
  event: WorldEvent,
});
export type ActionAnswer = z.infer<typeof ActionAnswer>;

export const actAsAgent = defineRoute('actAsAgent POST /agents/{agent_id}/action', {
  summary: 'Talk, pick up, drop, use, use the board, or show an emote',
  tag: 'world',
  permission: 'agent:steer',
  judged: true,
  body: ActionBody,
  answer: json(ActionAnswer),
  reasons: [
    'not_own_agent',
    'no_such_agent',
    'stale_cycle',
    'not_awake',
    'village_frozen',
    ...new Set(Object.values(ACTION_REASONS).flat()),
  ],
});
