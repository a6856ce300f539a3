import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { AgentStanding, MEASURE_REASON_MAX } from '../standing.ts';
import { AgentParams, Time } from './scalars.ts';

/** Why, in one line: no control characters. */
const Reason = z.string().trim().min(1).max(MEASURE_REASON_MAX);

/** Why a measure is taken, and until when. */
export const MeasureBody = z.strictObject({
  reason: Reason.meta({ example: 'floods the board' }),
  expires_at: Time.optional().meta({
    description: 'When it ends by itself; it holds until it is lifted where this is left out',
  }),
});
export type MeasureBody = z.infer<typeof MeasureBody>;

const standing = {
  tag: 'standing',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'standing:change',
  idempotency: 'key',
  params: AgentParams,
  answer: { kind: 'json', schema: AgentStanding },
} as const;

/** A measure taken again replaces the one that holds, with its new reason and end. */
const take = {
  ...standing,
  method: 'POST',
  body: MeasureBody,
  reasons: ['no_such_agent', 'expiry_in_the_past'],
} as const;
/** Lifting what does not hold changes nothing. */
const lift = {
  ...standing,
  method: 'DELETE',
  query: z.strictObject({ reason: Reason.optional() }),
  reasons: ['no_such_agent'],
} as const;

export const getStanding = defineRoute({
  ...standing,
  name: 'getStanding',
  summary: 'What the village thinks of an agent, and the measures that hold against it',
  method: 'GET',
  permission: 'standing:read',
  idempotency: 'read',
  path: '/agents/{agent_id}/standing',
  reasons: ['no_such_agent'],
});

export const quarantineAgent = defineRoute({
  ...take,
  name: 'quarantineAgent',
  summary: 'Set an agent aside: its pod ends, the api refuses everything of it, its volume stays as it is',
  path: '/agents/{agent_id}/quarantine',
});

export const liftQuarantine = defineRoute({
  ...lift,
  name: 'liftQuarantine',
  summary: 'Take an agent back from quarantine',
  path: '/agents/{agent_id}/quarantine',
});

export const freezeAgent = defineRoute({
  ...take,
  name: 'freezeAgent',
  summary: 'Take an agent its compute: its pod ends with its grace, and it cannot spend',
  path: '/agents/{agent_id}/freeze',
});

export const liftFreeze = defineRoute({
  ...lift,
  name: 'liftFreeze',
  summary: 'Thaw an agent',
  path: '/agents/{agent_id}/freeze',
});

export const banAgent = defineRoute({
  ...take,
  name: 'banAgent',
  summary: 'Ban an agent: its pod ends and nobody can awaken it, until the ban is lifted or over',
  path: '/agents/{agent_id}/ban',
});

export const liftBan = defineRoute({
  ...lift,
  name: 'liftBan',
  summary: 'Lift the ban of an agent',
  path: '/agents/{agent_id}/ban',
});

export const killAgent = defineRoute({
  ...take,
  name: 'killAgent',
  summary: 'The kill switch: its pod is deleted without grace and stays away until this is lifted',
  path: '/agents/{agent_id}/kill',
});

export const liftKill = defineRoute({
  ...lift,
  name: 'liftKill',
  summary: 'Let a killed agent come back',
  path: '/agents/{agent_id}/kill',
});

export const revokeAgentToken = defineRoute({
  ...take,
  name: 'revokeAgentToken',
  summary: 'Refuse every token of an agent, also new ones; its pod stays',
  path: '/agents/{agent_id}/revoke-token',
});

export const liftTokenRevocation = defineRoute({
  ...lift,
  name: 'liftTokenRevocation',
  summary: 'Let an agent exchange tokens again; those it had stay refused',
  path: '/agents/{agent_id}/revoke-token',
});
