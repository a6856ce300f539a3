import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { AgentId, AgentParams, Time } from './scalars.ts';

/** What the village thinks of an agent; rows of the api that the operator turns into conditions and pods. */
export const Standing = z.strictObject({
  agent_id: AgentId,
  quarantined: z.boolean(),
  frozen: z.boolean(),
  token_revoked: z.boolean(),
  balance_tier: z.string().nullable().meta({ description: 'The entitlement the balance reaches; null while there is no balance' }),
});
export type Standing = z.infer<typeof Standing>;

/** Whether this life of an agent, in this cycle, holds a wake stream. */
export const Presence = z.strictObject({
  agent_id: AgentId,
  uid: z.string(),
  cycle: z.int().min(0),
  connected: z.boolean(),
  last_seen: Time,
});
export type Presence = z.infer<typeof Presence>;

/** Sent first where `after` cannot be resumed from: forget everything, all that holds now follows. */
export const StreamReset = z.strictObject({ epoch: z.string() });

export const openInternalStream = defineRoute({
  name: 'openInternalStream',
  summary: 'Standing and presence of agents, for the operator; resumable by the event id',
  tag: 'internal',
  method: 'GET',
  path: '/internal/stream',
  placement: 'absolute',
  audiences: ['agents'],
  permission: 'operator',
  idempotency: 'read',
  query: z.strictObject({
    after: z
      .string()
      .max(64)
      .regex(/^[0-9a-z-]+:[0-9]+$/, 'EPOCH:OFFSET, the id of the last event seen')
      .optional(),
  }),
  answer: { kind: 'sse', events: { standing: Standing, presence: Presence, reset: StreamReset } },
  reasons: [],
});

export const closeAgent = defineRoute({
  name: 'closeAgent',
  summary: 'A life of an agent has ended: take it out of the world and close its account',
  tag: 'internal',
  method: 'POST',
  path: '/internal/agents/{agent_id}/close',
  placement: 'absolute',
  audiences: ['agents'],
  permission: 'operator',
  idempotency: 'natural',
  params: AgentParams,
  body: z.strictObject({ uid: z.string().min(1).max(64) }),
  answer: { kind: 'json', schema: z.strictObject({ agent_id: AgentId, uid: z.string(), closed: z.literal(true) }) },
  reasons: [],
});
