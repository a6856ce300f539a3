import { z } from 'zod';
import { AgentId, Time } from './scalars.ts';

export const MEASURE_REASON_MAX = 500;

/** Most severe first. `quarantine` leaves the volume untouched; under `freeze` the agent cannot spend. */
export const MEASURES = ['kill', 'ban', 'quarantine', 'freeze', 'revoke_token'] as const;
export type Measure = (typeof MEASURES)[number];

/** The API computes the standing; the operator turns it into conditions and pods. */
export const Standing = z.strictObject({
  agent_id: AgentId,
  balance_tier: z.string().nullable().describe('Tier that the balance opens; null until it is computed'),
  quarantined: z.boolean(),
  frozen: z.boolean(),
  banned: z.boolean(),
  killed: z.boolean(),
  token_revoked: z.boolean(),
  reason: z.string().nullable().describe('Reason of the hardest measure, in the words of its author'),
});
export type Standing = z.infer<typeof Standing>;

export const FLAG_OF_MEASURE = {
  kill: 'killed',
  ban: 'banned',
  quarantine: 'quarantined',
  freeze: 'frozen',
  revoke_token: 'token_revoked',
} as const satisfies Readonly<Record<Measure, keyof Standing>>;

export const HeldMeasure = z.strictObject({
  measure: z.enum(MEASURES),
  reason: z.string(),
  by: z.strictObject({ role: z.string(), id: z.string() }),
  since: Time,
  expires_at: Time.nullable().describe('End; null lasts until it is lifted'),
});
export type HeldMeasure = z.infer<typeof HeldMeasure>;

export const AgentStanding = Standing.extend({
  measures: z.array(HeldMeasure).describe('Measures in force, hardest first'),
});
export type AgentStanding = z.infer<typeof AgentStanding>;

export function goodStanding(agentId: string, balanceTier: string | null = null): Standing {
  return {
    agent_id: agentId,
    balance_tier: balanceTier,
    quarantined: false,
    frozen: false,
    banned: false,
    killed: false,
    token_revoked: false,
    reason: null,
  };
}
