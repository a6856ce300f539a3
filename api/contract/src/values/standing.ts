import { z } from 'zod';
import { AgentId, Time } from './scalars.ts';

/** Longest reason that an admin gives for a measure. */
export const MEASURE_REASON_MAX = 500;

/**
 * Measures against an agent, most severe first. `kill`: its pod is deleted at once and none starts. `ban`: it cannot
 * be awakened. `quarantine`: its pod ends, its volume stays untouched. `freeze`: no compute, and it cannot spend.
 * `revoke_token`: its tokens are refused, its pod stays.
 */
export const MEASURES = ['kill', 'ban', 'quarantine', 'freeze', 'revoke_token'] as const;
export type Measure = (typeof MEASURES)[number];

/** Standing of an agent now. The API computes it; the operator turns it into conditions and pods. */
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

/** The field of a standing that each measure sets to true. */
export const FLAG_OF_MEASURE = {
  kill: 'killed',
  ban: 'banned',
  quarantine: 'quarantined',
  freeze: 'frozen',
  revoke_token: 'token_revoked',
} as const satisfies Readonly<Record<Measure, keyof Standing>>;

/** One measure in force: reason, author, begin and end. */
export const HeldMeasure = z.strictObject({
  measure: z.enum(MEASURES),
  reason: z.string(),
  by: z.strictObject({ role: z.string(), id: z.string() }),
  since: Time,
  expires_at: Time.nullable().describe('End; null lasts until it is lifted'),
});
export type HeldMeasure = z.infer<typeof HeldMeasure>;

/** A standing with the measures behind it. */
export const AgentStanding = Standing.extend({
  measures: z.array(HeldMeasure).describe('Measures in force, hardest first'),
});
export type AgentStanding = z.infer<typeof AgentStanding>;

/** Standing of an agent without measures. */
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
