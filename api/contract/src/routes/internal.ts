import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { Standing } from '../standing.ts';
import { AgentId, AgentParams, Time } from './scalars.ts';
import { ComputeClaim } from './spending/claims.ts';

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

/** Sent once after a reset, behind all that holds now: what was not said until here does not hold. */
export const StreamSynced = z.strictObject({});

/** How the runs of a Schedule stand. */
export const ScheduleActivity = z.strictObject({
  schedule_uid: z.string().min(1).max(64),
  active_runs: z.int().min(0),
  last_run_id: z.uuid().nullable(),
  last_run_at: Time.nullable(),
  last_slot: Time.nullable().meta({ description: 'The newest slot that has fired' }),
});
export type ScheduleActivity = z.infer<typeof ScheduleActivity>;

/** What an agent has bought that its pod or its seat depends on, and that lasts now. */
export const Boost = z.strictObject({
  agent_id: AgentId,
  priority: z.boolean().meta({ description: 'It is served before the others of its tier' }),
  gpu: z
    .strictObject({ resource_name: z.string(), count: z.int().min(1) })
    .nullable()
    .meta({ description: 'GPUs that are its alone for now' }),
  until: Time.nullable().meta({ description: 'When the first of it ends; the end is told too' }),
});
export type Boost = z.infer<typeof Boost>;

/** Whether the village is frozen: no money moves, no model is asked, no run begins. */
export const VillageState = z.strictObject({
  frozen: z.boolean(),
  reason: z.string().nullable(),
  since: Time.nullable(),
});
export type VillageState = z.infer<typeof VillageState>;

export const openInternalStream = defineRoute({
  name: 'openInternalStream',
  summary: 'Standing and presence of agents and the runs of schedules, for the operator; resumable by the event id',
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
  answer: {
    kind: 'sse',
    events: {
      reset: StreamReset,
      synced: StreamSynced,
      standing: Standing,
      presence: Presence,
      schedule: ScheduleActivity,
      boost: Boost,
      claim: ComputeClaim,
      village: VillageState,
    },
  },
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
