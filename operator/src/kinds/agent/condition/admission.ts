import { endsPod, seatSentence } from '@hamlet/core/seats';
import { isAllowedImage } from '../../../objects/hands.ts';
import { isTerminating, type TierView } from '../../../objects/cached-objects.ts';
import { conditionIn, no, yes, type ConditionResult } from '../../../status/condition.ts';
import type { Facts, FactsWithPod } from '../facts.ts';
import { holdOf, type Payment, type PaymentFacts, paymentOf, refusalReason, tierInstead } from './payment.ts';
import { barMessage, barOf, type StandingFacts, standingOf } from './standing.ts';

export interface Admission {
  readonly accepted: ConditionResult;
  readonly entitled: ConditionResult;
  readonly admitted: ConditionResult;
  readonly tier: TierView | undefined;
  /** The tier that the agent gets once that tier is paid; usually the tier in force. */
  readonly target: TierView | undefined;
  readonly payment: Payment;
  readonly granted: boolean;
}

type EntitledFacts = StandingFacts & PaymentFacts & Pick<Facts, 'publishedTier'>;

type Entitlement = readonly [ConditionResult, TierView | undefined];

function tierNamed({ tiers }: EntitledFacts, name: string | null | undefined): TierView | undefined {
  return tiers.find(({ metadata }) => metadata.name === name);
}

function pinnedTier(facts: EntitledFacts, name: string): Entitlement {
  const tier = tierNamed(facts, name);
  if (tier !== undefined) return [yes('Pinned', `tier ${name}, pinned by spec.entitlement`), tier];
  const problem = `spec.entitlement names "${name}", and there is no such Entitlement: create it or name another`;
  return [no('EntitlementNotFound', problem), undefined];
}

/** If the agent cannot pay for the tier of its balance: the highest lower tier that it can pay for. */
function byMeans(facts: EntitledFacts, reached: TierView): Entitlement | undefined {
  if (paymentOf(facts, reached) !== 'refused') return undefined;
  const instead = tierInstead(facts, reached);
  if (instead === undefined) return undefined;
  const { name } = reached.metadata;
  const why = `the balance reaches ${name}, but the agent cannot pay an hour of it (${reached.spec.price.perHour} aiDollars)`;
  return [yes('ByMeans', `tier ${instead.metadata.name}: ${why}`), instead];
}

/**
 * The tier of the balance. Until the api has reported it, the lowest tier that is open to a balance of 0. If the api names a tier
 * that the operator has not seen yet, the agent keeps its current tier, because a new Entitlement reaches the two at different
 * times.
 */
function tierByBalance(facts: EntitledFacts): Entitlement {
  const { balance_tier: named } = standingOf(facts);
  const reached = tierNamed(facts, named);
  const present = reached === undefined && named !== null ? tierNamed(facts, facts.publishedTier) : undefined;
  const tier = reached ?? present ?? facts.tiers.find(({ spec }) => Number(spec.minBalance) <= 0);
  if (tier === undefined)
    return [
      no('NoEntitlementReached', 'no Entitlement is open to a balance of 0: create one with minBalance "0"'),
      undefined,
    ];
  const unknown =
    present === undefined ? 'open to a balance of 0' : `its present one, until the operator knows ${named}`;
  const how = reached === undefined ? unknown : 'by its balance';
  return byMeans(facts, tier) ?? [yes('ByBalance', `tier ${tier.metadata.name}, ${how}`), tier];
}

function chosenTier(facts: EntitledFacts): Entitlement {
  const choice = facts.agent.spec?.entitlement;
  if (choice === undefined) return [no('Waiting', 'waits for a valid spec'), undefined];
  return choice.policy === 'Pinned' && choice.name !== undefined
    ? pinnedTier(facts, choice.name)
    : tierByBalance(facts);
}

/** True if the agent was awake before or will sleep, so that it requests nothing new. */
const asksForNothing = ({ agent: { spec, status } }: EntitledFacts): boolean =>
  status.power === 'Awake' || spec?.power === 'Asleep';

/**
 * The entitlement while the api does not answer and its last facts do not suffice: running agents keep their tier, all others
 * wait. The written condition stays, so that an outage does not rewrite every status.
 */
function withoutApi(facts: EntitledFacts): Entitlement | undefined {
  const { agent, apiState, publishedTier } = facts;
  if (apiState === 'Current' || (apiState === 'Last' && publishedTier !== undefined)) return undefined;
  const tier = tierNamed(facts, publishedTier);
  if (apiState === 'Last' || tier === undefined || !asksForNothing(facts))
    return [no('ApiUnreachable', 'the api does not answer: the operator grants nothing new until it does'), tier];
  const before = conditionIn(agent.status, 'Entitled');
  return [
    before?.status === 'True' ? before : yes('ByBalance', `tier ${tier.metadata.name}, the last known one`),
    tier,
  ];
}

function entitlement(facts: EntitledFacts): Entitlement {
  const bar = barOf(facts);
  const [result, tier] = withoutApi(facts) ?? chosenTier(facts);
  return bar === undefined ? [result, tier] : [no(bar, barMessage(facts, bar)), tier];
}

/** The tier of an agent, and whether standing, tier or money prevents it from running. The plan of seats uses both. */
export function entitledTier(facts: EntitledFacts): { readonly tier: TierView | undefined; readonly barred: boolean } {
  const [{ status }, tier] = entitlement(facts);
  const isRefused = tier !== undefined && paymentOf(facts, tier) === 'refused';
  return { tier, barred: status !== 'True' || isRefused };
}

const keepsSeat = ({ pod, seat }: FactsWithPod): boolean => pod !== undefined && !isTerminating(pod) && !endsPod(seat);

function seatResult(facts: FactsWithPod): ConditionResult {
  const { seat } = facts;
  if (seat.granted) return yes('Admitted', seatSentence(seat));
  if (keepsSeat(facts)) return yes('Admitted', 'the agent keeps its seat');
  return seat.reason === undefined
    ? no('SeatPending', 'the operator is counting the seats')
    : no(seat.reason, seatSentence(seat));
}

/** Why money prevents a pod of the tier; undefined if the tier is paid, or if a pod runs and the api has not refused the tier. */
function unpaidResult(facts: FactsWithPod, target: TierView | undefined): ConditionResult | undefined {
  if (target === undefined) return undefined;
  const payment = paymentOf(facts, target);
  const costs = `an hour of ${target.metadata.name} costs ${target.spec.price.perHour} aiDollars`;
  if (payment === 'refused')
    return no(refusalReason(facts, target), `${costs}, and the api cannot reserve that much for the agent`);
  if (payment === 'paid' || keepsSeat(facts)) return undefined;
  return no(
    'HoldPending',
    facts.apiState === 'Current'
      ? `${costs}: the operator asks the api to reserve it`
      : `${costs}, and the api does not answer, so it cannot reserve it`,
  );
}

function admitted(facts: FactsWithPod, entitled: ConditionResult, target: TierView | undefined): ConditionResult {
  const { agent, settings } = facts;
  if (entitled.status !== 'True') return no('Waiting', 'waits for Entitled');
  if (agent.spec?.isolation.userNamespace === 'Required' && settings.userNamespaces === 'Off')
    return no(
      'UserNamespaceUnavailable',
      'spec.isolation.userNamespace is Required and this village runs without user namespaces: write Preferred, or turn them on in the chart',
    );
  // A sleeping agent needs no seat, so its status must not report that seats are lacking.
  return agent.spec?.power === 'Asleep'
    ? yes('Admitted', 'asleep: it gets a seat when it awakens')
    : seatAndPaid(facts, target);
}

function seatAndPaid(facts: FactsWithPod, target: TierView | undefined): ConditionResult {
  const unpaid = unpaidResult(facts, target);
  if (unpaid !== undefined && unpaid.reason !== 'HoldPending') return unpaid;
  const seat = seatResult(facts);
  return seat.status === 'True' ? (unpaid ?? seat) : seat;
}

/** The current tier of the pod. A running agent keeps its paid tier until its next tier is paid. */
function tierInForce(facts: FactsWithPod, target: TierView | undefined): TierView | undefined {
  if (target === undefined || paymentOf(facts, target) === 'paid' || !keepsSeat(facts)) return target;
  // The api reserves money before the status names the tier, so the hold comes first.
  const known = [holdOf(facts)?.tier, facts.publishedTier].map((name) => tierNamed(facts, name));
  return known.find((tier) => tier !== undefined && paymentOf(facts, tier) === 'paid') ?? target;
}

function acceptedResult({ agent: { spec, problem }, settings }: FactsWithPod): ConditionResult {
  if (problem !== undefined) return no('InvalidSpec', problem);
  const image = spec?.hands?.image;
  if (image === undefined || isAllowedImage(image, [settings.image, ...settings.handsImages]))
    return yes('Accepted', 'the spec is complete');
  return no(
    'HandsImageRefused',
    `spec.hands.image is ${image}, which this village does not allow: leave it out, or add it to agentPods.handsImages of the chart`,
  );
}

export function admissionOf(facts: FactsWithPod): Admission {
  const accepted = acceptedResult(facts);
  const [entitled, target] = entitlement(facts);
  const result = admitted(facts, entitled, target);
  return {
    accepted,
    entitled,
    admitted: result,
    tier: tierInForce(facts, target),
    target,
    payment: target === undefined ? 'paid' : paymentOf(facts, target),
    granted: [accepted, entitled, result].every(({ status }) => status === 'True'),
  };
}
