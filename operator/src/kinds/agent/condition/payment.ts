import type { Reason } from '@hamlet/contract/kinds';
import type { TierView } from '../../../objects/cached-objects.ts';
import type { Facts } from '../facts.ts';

export type PaymentFacts = Pick<Facts, 'agent' | 'hold' | 'tiers'>;

/** `pending`: the api has not decided; no new pod may start, but a running one may continue. `refused`: no pod may run. */
export type Payment = 'paid' | 'pending' | 'refused';

export const isFree = ({ spec }: TierView): boolean => Number(spec.price.perHour) === 0;

/** The hold of this Agent object. A hold of an earlier Agent of the same name does not count. */
export function holdOf({ agent, hold }: PaymentFacts): Facts['hold'] {
  return hold?.uid === agent.metadata.uid ? hold : undefined;
}

export function paymentOf(facts: PaymentFacts, tier: TierView): Payment {
  const hold = holdOf(facts);
  const { name } = tier.metadata;
  if (isFree(tier)) return 'paid';
  if (hold?.refused?.tier === name) return 'refused';
  if (hold?.tier !== name || hold.givenUp === true) return 'pending';
  // No pod runs beyond its paid time, even while the api does not answer.
  if (hold.lapsed) return 'refused';
  return hold.held ? 'paid' : 'pending';
}

export function refusalReason(facts: PaymentFacts, tier: TierView): Extract<Reason, 'NotPaid' | 'HoldRefused'> {
  const refused = holdOf(facts)?.refused;
  return refused?.tier !== tier.metadata.name || refused.reason === 'NotPaid' ? 'NotPaid' : 'HoldRefused';
}

/** The replacement for a refused tier: the lower tier that the api reports as payable, otherwise the highest lower free tier. */
export function tierInstead(facts: PaymentFacts, tier: TierView): TierView | undefined {
  const below = facts.tiers.filter(({ spec }) => spec.rank < tier.spec.rank);
  const payable = below.find(({ metadata }) => metadata.name === holdOf(facts)?.refused?.payable);
  return payable !== undefined && paymentOf(facts, payable) !== 'refused' ? payable : below.findLast(isFree);
}

/** True if the tier is free or paid for in this cycle, so that the cycle's pod may grow to it. */
export function isCovered(facts: PaymentFacts, tier: TierView, cycle: number): boolean {
  return isFree(tier) || (paymentOf(facts, tier) === 'paid' && holdOf(facts)?.cycle === cycle);
}

/**
 * True if a cycle may now begin with a pod of a tier. The api's answer must be fresh, because the api may release an older hold.
 * While the api does not answer, an agent that stayed awake may continue, because the api only releases the holds of sleeping
 * agents.
 */
export function mayBegin(facts: PaymentFacts & Pick<Facts, 'apiState'>, tier: TierView, cycle: number): boolean {
  if (isFree(tier)) return true;
  if (facts.apiState !== 'Current') return paymentOf(facts, tier) === 'paid' && facts.agent.status.power === 'Awake';
  return isCovered(facts, tier, cycle) && holdOf(facts)?.fresh === true;
}
