import type { ConditionStatus, Reason } from '@hamlet/contract/kinds';
import { seatSentence } from '@hamlet/core/seats';
import { isTerminating } from '../child/claim.ts';
import { holdOf, paymentOf, refusalReason, tierInstead, type Payment } from './payment.ts';
import { podOfCycle, type Observed, type TierView } from '../views.ts';
import { barMessage, barOf, conditionIn, standingOf, type StandingFacts } from './standing.ts';

/** What a condition will say. `PodScheduled` may carry a reason of the scheduler's own. */
export interface Verdict {
  readonly status: ConditionStatus;
  readonly reason: Reason | (string & {});
  readonly message: string;
}

/** May the agent run, and as what. */
export interface Admission {
  readonly accepted: Verdict;
  readonly entitled: Verdict;
  readonly admitted: Verdict;
  /** The tier in force, where one is known. */
  readonly tier: TierView | undefined;
  /** The tier that it is to have once it is paid; mostly the same. */
  readonly target: TierView | undefined;
  /** Of the target. */
  readonly payment: Payment;
  /** All three hold. */
  readonly granted: boolean;
}

/** What decides which tier an agent has. */
export type EntitledFacts = StandingFacts & Pick<Observed, 'toldTier' | 'tiers' | 'hold'>;

type Entitlement = readonly [Verdict, TierView | undefined];

const yes = (reason: Reason, message: string): Verdict => ({ status: 'True', reason, message });
const no = (reason: Reason, message: string): Verdict => ({ status: 'False', reason, message });

function tierNamed({ tiers }: EntitledFacts, name: string | undefined): TierView | undefined {
  return tiers.find(({ metadata }) => metadata.name === name);
}

function pinnedTier(observed: EntitledFacts, name: string): Entitlement {
  const tier = tierNamed(observed, name);
  if (tier === undefined)
    return [
      no(
        'EntitlementNotFound',
        `spec.entitlement names "${name}", and there is no such Entitlement: create it or name another`,
      ),
      undefined,
    ];
  return [yes('Pinned', `tier ${name}, pinned by spec.entitlement`), tier];
}

/** Who cannot pay for the tier that the balance reaches falls back to the highest that can be paid. */
function byMeans(observed: EntitledFacts, reached: TierView): Entitlement | undefined {
  if (paymentOf(observed, reached) !== 'refused') return undefined;
  const instead = tierInstead(observed, reached);
  if (instead === undefined) return undefined;
  const { name } = reached.metadata;
  return [
    yes(
      'ByMeans',
      `tier ${instead.metadata.name}: the balance reaches ${name}, and what ${name} costs an hour (${reached.spec.price.perHour} aiDollars) cannot be set aside`,
    ),
    instead,
  ];
}

/** Until the api has said what the balance reaches, the lowest tier that is open to a balance of 0. */
function tierByBalance(observed: EntitledFacts): Entitlement {
  const told = tierNamed(observed, standingOf(observed).balanceTier);
  if (told !== undefined)
    return byMeans(observed, told) ?? [yes('ByBalance', `tier ${told.metadata.name}, by its balance`), told];
  const open = observed.tiers.find(({ spec }) => Number(spec.minBalance) <= 0);
  if (open !== undefined)
    return byMeans(observed, open) ?? [yes('ByBalance', `tier ${open.metadata.name}, open to a balance of 0`), open];
  return [
    no('NoEntitlementReached', 'no Entitlement is open to a balance of 0: create one with minBalance "0"'),
    undefined,
  ];
}

function chosenTier(observed: EntitledFacts): Entitlement {
  const choice = observed.agent.spec?.entitlement;
  if (choice === undefined) return [no('Waiting', 'waits for a spec that can be read'), undefined];
  return choice.policy === 'Pinned' && choice.name !== undefined
    ? pinnedTier(observed, choice.name)
    : tierByBalance(observed);
}

/** What is asked for while the api was never heard: only to go on as before, or to sleep. */
const asksForNothing = ({ agent: { spec, status } }: EntitledFacts): boolean =>
  status.power === 'Awake' || spec?.power === 'Asleep';

/**
 * With the api out of hearing nothing is granted that was not: who ran goes on as what it was, others wait. What was
 * written stays as it was written, so that a whole village is not written anew for it.
 */
function withoutApi(observed: EntitledFacts): Entitlement | undefined {
  const { agent, knowledge, toldTier } = observed;
  if (knowledge === 'Current' || (knowledge === 'Last' && toldTier !== undefined)) return undefined;
  const tier = tierNamed(observed, toldTier);
  if (knowledge === 'Last' || tier === undefined || !asksForNothing(observed)) {
    return [
      no('ApiUnreachable', 'the operator does not hear from the api, and grants nothing new until it does'),
      tier,
    ];
  }
  const before = conditionIn(agent.status, 'Entitled');
  return [
    before?.status === 'True' ? before : yes('ByBalance', `tier ${tier.metadata.name}, as it was known last`),
    tier,
  ];
}

function entitlement(observed: EntitledFacts): Entitlement {
  const bar = barOf(observed);
  const [verdict, tier] = withoutApi(observed) ?? chosenTier(observed);
  return bar === undefined ? [verdict, tier] : [no(bar, barMessage(observed, bar)), tier];
}

/** The tier of an agent, and whether anything of its standing or its tier keeps it from running: what seats are counted by. */
export function entitledTier(facts: EntitledFacts): { readonly tier: TierView | undefined; readonly barred: boolean } {
  const [{ status }, tier] = entitlement(facts);
  const isRefused = tier !== undefined && paymentOf(facts, tier) === 'refused';
  return { tier, barred: status !== 'True' || isRefused };
}

/** Who has a pod keeps it while the seats are counted; it ends only by the verdict that somebody needs its seat. */
function sits(observed: Observed): boolean {
  const pod = podOfCycle(observed, observed.agent.status.cycle ?? 0);
  return pod !== undefined && !isTerminating(pod) && observed.seat.reason !== 'Displaced';
}

function seatVerdict(observed: Observed): Verdict {
  const { seat } = observed;
  if (seat.granted) return yes('Admitted', seatSentence(seat));
  if (sits(observed)) return yes('Admitted', 'the agent keeps the seat that it has');
  return seat.reason === undefined
    ? no('SeatPending', 'the seats are being counted')
    : no(seat.reason, seatSentence(seat));
}

function admission(observed: Observed, entitled: Verdict, target: TierView | undefined): Verdict {
  const { agent, settings } = observed;
  if (entitled.status !== 'True') return no('Waiting', 'waits for Entitled');
  if (agent.spec?.isolation.userNamespace === 'Required' && settings.userNamespaces === 'Off') {
    return no(
      'UserNamespaceUnavailable',
      'spec.isolation.userNamespace is Required and this village runs without user namespaces: write Preferred, or turn them on in the chart',
    );
  }
  // Who sleeps asks for no seat, and shall not read that there is none.
  if (agent.spec?.power === 'Asleep') return yes('Admitted', 'asleep: a seat is looked for when it awakens');
  return seatAndPaid(observed, target);
}

/** First whether it can pay: no seat is counted for who cannot. Then the seat, and money is asked for once there is one. */
function seatAndPaid(observed: Observed, target: TierView | undefined): Verdict {
  const paid = paidVerdict(observed, target);
  if (paid !== undefined && paid.reason !== 'HoldPending') return paid;
  const seat = seatVerdict(observed);
  return seat.status === 'True' ? (paid ?? seat) : seat;
}

/** What money has against a pod of the tier; nothing where it is paid, or where a pod runs that nobody has refused yet. */
function paidVerdict(observed: Observed, target: TierView | undefined): Verdict | undefined {
  if (target === undefined) return undefined;
  const payment = paymentOf(observed, target);
  const costs = `an hour of ${target.metadata.name} costs ${target.spec.price.perHour} aiDollars`;
  if (payment === 'refused')
    return no(refusalReason(observed, target), `${costs}, and that much cannot be set aside for the agent`);
  if (payment === 'paid' || sits(observed)) return undefined;
  return no(
    'HoldPending',
    observed.knowledge === 'Current'
      ? `${costs}: the api is asked to set it aside`
      : `${costs}, and the api is not heard, which sets it aside`,
  );
}

/** While the next tier is not paid yet, who runs goes on at the one that is. */
function tierInForce(observed: Observed, target: TierView | undefined): TierView | undefined {
  if (target === undefined || paymentOf(observed, target) === 'paid' || !sits(observed)) return target;
  // Money is set aside before the status names the tier that it is for.
  const known = [holdOf(observed)?.tier, observed.toldTier].map((name) => tierNamed(observed, name));
  return known.find((tier) => tier !== undefined && paymentOf(observed, tier) === 'paid') ?? target;
}

/** The first three conditions, which decide whether there shall be a pod. */
export function admissionOf(observed: Observed): Admission {
  const { problem } = observed.agent;
  const accepted = problem === undefined ? yes('Accepted', 'the spec is complete') : no('InvalidSpec', problem);
  const [entitled, target] = entitlement(observed);
  const admitted = admission(observed, entitled, target);
  const granted = [accepted, entitled, admitted].every(({ status }) => status === 'True');
  const payment = target === undefined ? 'paid' : paymentOf(observed, target);
  return { accepted, entitled, admitted, tier: tierInForce(observed, target), target, payment, granted };
}
