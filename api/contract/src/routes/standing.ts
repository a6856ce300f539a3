import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { Time } from '../values/scalars.ts';
import { AgentStanding, MEASURE_REASON_MAX } from '../values/standing.ts';

const Reason = z.string().trim().min(1).max(MEASURE_REASON_MAX);

export const MeasureBody = z.strictObject({
  reason: Reason.meta({ example: 'floods the board' }),
  expires_at: Time.optional().describe('End of the measure; by default it lasts until it is lifted'),
});
export type MeasureBody = z.infer<typeof MeasureBody>;

const standing = {
  tag: 'standing',
  permission: 'standing:change',
  answer: json(AgentStanding),
} as const;

/** A repeated measure replaces the earlier one. */
const take = {
  ...standing,
  body: MeasureBody,
  reasons: ['no_such_agent', 'expiry_in_the_past'],
} as const;
/** Lifting a measure that is not in force changes nothing. */
const lift = {
  ...standing,
  query: z.strictObject({ reason: Reason.optional() }),
  reasons: ['no_such_agent'],
} as const;

export const getStanding = defineRoute('getStanding GET /agents/{agent_id}/standing', {
  ...standing,
  summary: 'Standing of an agent: its tier and the measures against it',
  permission: 'standing:read',
  reasons: ['no_such_agent'],
});

export const quarantineAgent = defineRoute('quarantineAgent POST /agents/{agent_id}/quarantine', {
  ...take,
  summary: 'Quarantine an agent: its pod ends, the API refuses its requests, its volume stays',
});

export const liftQuarantine = defineRoute('liftQuarantine DELETE /agents/{agent_id}/quarantine', {
  ...lift,
  summary: 'Lift the quarantine of an agent',
});

export const freezeAgent = defineRoute('freezeAgent POST /agents/{agent_id}/freeze', {
  ...take,
  summary: 'Freeze an agent: its pod ends with its grace period, and it cannot spend',
});

export const liftFreeze = defineRoute('liftFreeze DELETE /agents/{agent_id}/freeze', {
  ...lift,
  summary: 'Lift the freeze of an agent',
});

export const banAgent = defineRoute('banAgent POST /agents/{agent_id}/ban', {
  ...take,
  summary: 'Ban an agent: its pod ends and cannot be awakened until the ban is lifted or expires',
});

export const liftBan = defineRoute('liftBan DELETE /agents/{agent_id}/ban', {
  ...lift,
  summary: 'Lift the ban of an agent',
});

export const killAgent = defineRoute('killAgent POST /agents/{agent_id}/kill', {
  ...take,
  summary: 'Kill an agent: its pod is deleted without grace and none starts until this is lifted',
});

export const liftKill = defineRoute('liftKill DELETE /agents/{agent_id}/kill', {
  ...lift,
  summary: 'Lift the kill of an agent',
});

export const revokeAgentToken = defineRoute('revokeAgentToken POST /agents/{agent_id}/revoke-token', {
  ...take,
  summary: 'Revoke the tokens of an agent, also new ones; its pod stays',
});

export const liftTokenRevocation = defineRoute('liftTokenRevocation DELETE /agents/{agent_id}/revoke-token', {
  ...lift,
  summary: "Lift the revocation of an agent's tokens; its earlier tokens stay refused",
});

/** With the times of the last activities that a freeze stops, as proof that the freeze works. */
export const VillageFreeze = z.strictObject({
  frozen: z.boolean(),
  reason: z.string().nullable().describe('Reason in the words of the admin; null while the village is not frozen'),
  by: z.strictObject({ role: z.string(), id: z.string() }).nullable(),
  since: Time.nullable(),
  last_transfer_at: Time.nullable().describe('Time of the last transfer; null if there was none'),
  last_model_request_at: Time.nullable().describe('Time of the last request to a model'),
  last_run_started_at: Time.nullable().describe('Time at which a run last began'),
});
export type VillageFreeze = z.infer<typeof VillageFreeze>;

export const VillageFreezeBody = z.strictObject({ reason: Reason.meta({ example: 'an agent empties the treasury' }) });

const freeze = {
  tag: 'standing',
  placement: 'versioned',
  answer: json(VillageFreeze),
} as const;

export const getVillageFreeze = defineRoute('getVillageFreeze GET /village/freeze', {
  ...freeze,
  summary:
    'Freeze of the village: its state, reason and start, and the times of the last transfer, request to a model and start of a run',
  permission: 'anyone',
});

/** A repeated freeze changes nothing. */
export const freezeVillage = defineRoute('freezeVillage POST /village/freeze', {
  ...freeze,
  summary:
    'Freeze the village: no money moves, no agent acts, no model answers and no run begins until the freeze is lifted',
  permission: 'village:freeze',
  body: VillageFreezeBody,
});

/** Lifting a measure that is not in force changes nothing. */
export const liftVillageFreeze = defineRoute('liftVillageFreeze DELETE /village/freeze', {
  ...freeze,
  summary: 'Lift the freeze of the village',
  permission: 'village:freeze',
  query: z.strictObject({ reason: Reason.optional() }),
});
