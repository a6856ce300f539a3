import type { ConditionStatus, Reason } from '@hamlet/contract/kinds';
import { barMessage, barOf, conditionIn, standingOf } from './standing.ts';
import type { Observed, SeatVerdict, TierView } from '../views.ts';

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
  /** The tier, where one is known. */
  readonly tier: TierView | undefined;
  /** All three hold. */
  readonly granted: boolean;
}

type Entitlement = readonly [Verdict, TierView | undefined];

const yes = (reason: Reason, message: string): Verdict => ({ status: 'True', reason, message });
const no = (reason: Reason, message: string): Verdict => ({ status: 'False', reason, message });

function tierNamed({ tiers }: Observed, name: string | undefined): TierView | undefined {
  return tiers.find(({ metadata }) => metadata.name === name);
}

function pinnedTier(observed: Observed, name: string): Entitlement {
  const tier = tierNamed(observed, name);
  if (tier === undefined) return [no('EntitlementNotFound', `spec.entitlement names "${name}", and there is no such Entitlement: create it or name another`), undefined];
  return [yes('Pinned', `tier ${name}, pinned by spec.entitlement`), tier];
}

/** Until the api has said what the balance reaches, the lowest tier that is open to a balance of 0. */
function tierByBalance(observed: Observed): Entitlement {
  const told = tierNamed(observed, standingOf(observed).balanceTier);
  if (told !== undefined) return [yes('ByBalance', `tier ${told.metadata.name}, by its balance`), told];
  const open = observed.tiers.find(({ spec }) => Number(spec.minBalance) <= 0);
  if (open !== undefined) return [yes('ByBalance', `tier ${open.metadata.name}, open to a balance of 0`), open];
  return [no('NoEntitlementReached', 'no Entitlement is open to a balance of 0: create one with minBalance "0"'), undefined];
}

function chosenTier(observed: Observed): Entitlement {
  const choice = observed.agent.spec?.entitlement;
  if (choice === undefined) return [no('Waiting', 'waits for a spec that can be read'), undefined];
  return choice.policy === 'Pinned' && choice.name !== undefined ? pinnedTier(observed, choice.name) : tierByBalance(observed);
}

/** What is asked for while the api was never heard: only to go on as before, or to sleep. */
const asksForNothing = ({ agent: { spec, status } }: Observed): boolean => status.power === 'Awake' || spec?.power === 'Asleep';

/**
 * With the api out of hearing nothing is granted that was not: who ran goes on as what it was, others wait. What was
 * written stays as it was written, so that a whole village is not written anew for it.
 */
function withoutApi(observed: Observed): Entitlement | undefined {
  const { agent, knowledge, toldTier } = observed;
  if (knowledge === 'Current' || (knowledge === 'Last' && toldTier !== undefined)) return undefined;
  const tier = tierNamed(observed, toldTier);
  if (knowledge === 'Last' || tier === undefined || !asksForNothing(observed)) {
    return [no('ApiUnreachable', 'the operator does not hear from the api, and grants nothing new until it does'), tier];
  }
  const before = conditionIn(agent.status, 'Entitled');
  return [before?.status === 'True' ? before : yes('ByBalance', `tier ${tier.metadata.name}, as it was known last`), tier];
}

function entitlement(observed: Observed): Entitlement {
  const bar = barOf(observed);
  const [verdict, tier] = withoutApi(observed) ?? chosenTier(observed);
  return bar === undefined ? [verdict, tier] : [no(bar, barMessage(observed, bar)), tier];
}

const SEAT_WORDS: Readonly<Record<NonNullable<SeatVerdict['reason']>, string>> = {
  NoSeat: 'every seat of the tier is taken',
  NodeFull: 'no node has room for a pod of the tier',
  GpuBooked: 'every GPU of the tier is booked',
  Displaced: 'an agent of a higher tier needed the seat',
};

function seatMessage({ reason, position, blocking }: SeatVerdict): string {
  if (reason === undefined) return 'the seats are being counted';
  const place = position === undefined ? '' : `; place ${position} in the queue`;
  return `${SEAT_WORDS[reason]}${blocking === undefined ? '' : `: ${blocking}`}${place}`;
}

function seatVerdict(observed: Observed): Verdict {
  const { agent, seat } = observed;
  if (seat.granted) return yes('Admitted', 'a seat is free');
  // Who sits keeps the seat while it is not said to be needed.
  const sits = agent.status.power === 'Awake' && seat.reason !== 'Displaced';
  return sits ? yes('Admitted', 'the agent keeps its seat') : no(seat.reason ?? 'Waiting', seatMessage(seat));
}

function admission(observed: Observed, entitled: Verdict): Verdict {
  const { agent, settings } = observed;
  if (entitled.status !== 'True') return no('Waiting', 'waits for Entitled');
  if (agent.spec?.isolation.userNamespace === 'Required' && settings.userNamespaces === 'Off') {
    return no('UserNamespaceUnavailable', 'spec.isolation.userNamespace is Required and this village runs without user namespaces: write Preferred, or turn them on in the chart');
  }
  // Who sleeps asks for no seat, and shall not read that there is none.
  if (agent.spec?.power === 'Asleep') return yes('Admitted', 'asleep: a seat is looked for when it awakens');
  return seatVerdict(observed);
}

/** The first three conditions, which decide whether there shall be a pod. */
export function admissionOf(observed: Observed): Admission {
  const { problem } = observed.agent;
  const accepted = problem === undefined ? yes('Accepted', 'the spec is complete') : no('InvalidSpec', problem);
  const [entitled, tier] = entitlement(observed);
  const admitted = admission(observed, entitled);
  const granted = [accepted, entitled, admitted].every(({ status }) => status === 'True');
  return { accepted, entitled, admitted, tier, granted };
}
