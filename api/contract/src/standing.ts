import { z } from 'zod';
import { AgentId, Time } from './routes/scalars.ts';

/** Longest reason that an admin gives for a measure. */
export const MEASURE_REASON_MAX = 500;

/**
 * What an admin may hold against an agent, hardest first. `kill`: its pod ends this instant and stays away. `ban`: nobody can awaken it.
 * `quarantine`: set aside with its volume untouched. `freeze`: no compute, and it cannot spend. `revoke_token`: its tokens are refused, its pod stays.
 */
export const MEASURES = ['kill', 'ban', 'quarantine', 'freeze', 'revoke_token'] as const;
export type Measure = (typeof MEASURES)[number];

/** What the village thinks of an agent now. The api computes it; the operator turns it into conditions and pods. */
export const Standing = z.strictObject({
  agent_id: AgentId,
  balance_tier: z
    .string()
    .nullable()
    .meta({ description: 'The entitlement that the balance opens; null until it was computed' }),
  quarantined: z.boolean(),
  frozen: z.boolean(),
  banned: z.boolean(),
  killed: z.boolean(),
  token_revoked: z.boolean(),
  reason: z.string().nullable().meta({ description: 'Why, in the words of who did the hardest of it' }),
});
export type Standing = z.infer<typeof Standing>;

/** The flag of a standing that each measure raises. */
export const FLAG_OF_MEASURE = {
  kill: 'killed',
  ban: 'banned',
  quarantine: 'quarantined',
  freeze: 'frozen',
  revoke_token: 'token_revoked',
} as const satisfies Readonly<Record<Measure, keyof Standing>>;

/** One measure that holds: why, by whom, since when and until when. */
export const HeldMeasure = z.strictObject({
  measure: z.enum(MEASURES),
  reason: z.string(),
  by: z.strictObject({ role: z.string(), id: z.string() }),
  since: Time,
  expires_at: Time.nullable().meta({ description: 'Null holds until it is lifted' }),
});
export type HeldMeasure = z.infer<typeof HeldMeasure>;

/** A standing with the measures behind it. */
export const AgentStanding = Standing.extend({
  measures: z.array(HeldMeasure).meta({ description: 'What holds now, hardest first' }),
});
export type AgentStanding = z.infer<typeof AgentStanding>;

/** The standing of an agent that nothing is held against. */
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
