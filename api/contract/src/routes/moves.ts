import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { MoveBody } from '../world/command.ts';
import { TilePosition } from '../world/map.ts';
import { AgentParams, Seq, Tick } from './scalars.ts';

export const MoveAnswer = z.strictObject({
  accepted_seq: Seq.meta({ description: 'The number of the event; it is durable within 100 ms' }),
  from: TilePosition,
  to: TilePosition,
  start_tick: Tick,
  arrives_tick: Tick,
  path_tiles: z.int().min(0),
});
export type MoveAnswer = z.infer<typeof MoveAnswer>;

export const moveAgent = defineRoute({
  name: 'moveAgent',
  summary: 'Send an agent on its way; it walks there by itself',
  tag: 'world',
  method: 'POST',
  path: '/agents/{agent_id}/move',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'agent:steer',
  idempotency: 'key',
  params: AgentParams,
  body: MoveBody,
  answer: { kind: 'json', schema: MoveAnswer },
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
  ],
});
