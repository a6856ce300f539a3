import { z } from 'zod';
import type { Refusal } from '../errors.ts';
import { defineRoute } from '../route.ts';
import { ActionBody } from '../world/command.ts';
import type { ActionKind } from '../world/command.ts';
import { WorldEvent } from '../world/event.ts';
import { AgentParams, Seq } from './scalars.ts';

/** The refusals of each kind, beyond those of any command to an agent. */
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
  durable_seq: Seq.nullable().meta({
    description: 'Null while the event is accepted but not yet committed (at most 100 ms)',
  }),
  event: WorldEvent,
});
export type ActionAnswer = z.infer<typeof ActionAnswer>;

export const actAsAgent = defineRoute({
  name: 'actAsAgent',
  summary: 'Talk, pick up, drop, use, use the board, or show an emote',
  tag: 'world',
  method: 'POST',
  path: '/agents/{agent_id}/action',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'agent:steer',
  idempotency: 'key',
  params: AgentParams,
  body: ActionBody,
  answer: { kind: 'json', schema: ActionAnswer },
  reasons: [
    'not_own_agent',
    'no_such_agent',
    'stale_cycle',
    'not_awake',
    ...new Set(Object.values(ACTION_REASONS).flat()),
  ],
});
