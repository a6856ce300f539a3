import type { Reason } from '@hamlet/contract/kinds';
import type { Observed, TierView } from '../views.ts';

/** What is known of money. */
export type PaymentFacts = Pick<Observed, 'agent' | 'hold' | 'tiers'>;

/**
 * Whether a pod of a tier is paid for. `pending`: the api has not said; nothing may begin by it, and what runs may go on until it has.
 * `refused`: nothing of it may run.
 */
export type Payment = 'paid' | 'pending' | 'refused';

/** A tier that costs nothing by the hour asks nothing of anybody. */
export function isFree({ spec }: TierView): boolean {
  return Number(spec.price.perHour) === 0;
}

/** What is set aside for this life. What an earlier life of the name held says nothing of this one. */
export function holdOf({ agent, hold }: PaymentFacts): Observed['hold'] {
  return hold?.uid === agent.metadata.uid ? hold : undefined;
}

/** Whether a tier is paid for, by the time that is left of what is held. */
export function paymentOf(facts: PaymentFacts, tier: TierView): Payment {
  const hold = holdOf(facts);
  const { name } = tier.metadata;
  if (isFree(tier)) return 'paid';
  if (hold?.refused?.tier === name) return 'refused';
  if (hold?.tier !== name || hold.givenUp === true) return 'pending';
  // Past its time nothing runs, whether or not the api is there to say so.
  if (hold.lapsed) return 'refused';
  return hold.held ? 'paid' : 'pending';
}

/** Why a tier is refused. */
export function refusalReason(facts: PaymentFacts, tier: TierView): Extract<Reason, 'NotPaid' | 'HoldRefused'> {
  const refused = holdOf(facts)?.refused;
  return refused?.tier === tier.metadata.name ? refused.reason : 'NotPaid';
}

/** The tier in place of one that is refused: what the api says can be paid, otherwise the highest free one below. */
export function tierInstead(facts: PaymentFacts, tier: TierView): TierView | undefined {
  const below = facts.tiers.filter(({ spec }) => spec.rank < tier.spec.rank);
  const payable = below.find(({ metadata }) => metadata.name === holdOf(facts)?.refused?.payable);
  return payable !== undefined && paymentOf(facts, payable) !== 'refused' ? payable : below.findLast(isFree);
}

type CoverFacts = PaymentFacts & Pick<Observed, 'knowledge'>;

/** Whether the pod of a cycle may grow to a tier now. */
export function isCovered(facts: CoverFacts, tier: TierView, cycle: number): boolean {
  if (isFree(tier)) return true;
  return paymentOf(facts, tier) === 'paid' && holdOf(facts)?.cycle === cycle;
}

/**
 * Whether a cycle may begin with a pod of a tier now. Each is asked for anew, and begun while the answer is fresh: what is known otherwise may have been
 * given back meanwhile. Where the api is not heard, who was awake all the time goes on by what is held: the api gives that back only to who sleeps.
 */
export function mayBegin(facts: CoverFacts, tier: TierView, cycle: number): boolean {
  if (isFree(tier)) return true;
  if (facts.knowledge !== 'Current') return paymentOf(facts, tier) === 'paid' && facts.agent.status.power === 'Awake';
  return isCovered(facts, tier, cycle) && holdOf(facts)?.fresh === true;
}
