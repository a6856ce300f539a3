import { z } from 'zod';
import { AiDollars } from './money.ts';
import { AgentId, Time } from './scalars.ts';

export const OFFER_HOURS_MAX = 720;
export const OFFER_HOURS_DEFAULT = 168;
export const OFFER_REASON_MAX_CHARS = 500;

/**
 * `open` holds the money. `paid`: the person accepted the result. `refused`: the person refused it with a reason.
 * `expired`: the person did neither in time. `returned`: the run failed or was cancelled.
 */
export const OFFER_STATES = ['open', 'paid', 'refused', 'expired', 'returned'] as const;
export const OfferState = z.enum(OFFER_STATES);
export type OfferState = z.infer<typeof OfferState>;

/** Money that a person has offered for the result of a run. */
export const RunOffer = z.strictObject({
  run_id: z.uuid(),
  agent_id: AgentId,
  amount: AiDollars,
  state: OfferState,
  offered_by: z.strictObject({ role: z.string(), id: z.string() }),
  offered_at: Time,
  expires_at: Time,
  ended_at: Time.nullable(),
  reason: z.string().nullable().describe('Reason of a refusal, in the words of the person'),
});
export type RunOffer = z.infer<typeof RunOffer>;
