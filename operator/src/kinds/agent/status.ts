import { firstUnmet, type AgentStatus, type ConditionType } from '@hamlet/contract/kinds';
import { type ConditionResult, conditionsOf, no, present, wholeSeconds, yes } from '../../status/condition.ts';
import { rulesResults } from '../../status/rules-condition.ts';
import { capabilitiesResult } from './condition/capabilities-condition.ts';
import { handsReadyResult } from './condition/hands-condition.ts';
import {
  ASLEEP,
  connectedResult,
  isInTrouble,
  resizedResult,
  scheduledResult,
  upToDateResult,
} from './condition/pod-conditions.ts';
import { barMessage, standingOf } from './condition/standing.ts';
import type { Observed } from './observe.ts';

type Chain = readonly (readonly [ConditionType, ConditionResult])[];

function readyResult({ agent }: Observed, chain: Chain): ConditionResult {
  if (agent.spec?.power === 'Asleep') return ASLEEP;
  const unmet = firstUnmet(chain.map(([, result]) => result));
  return unmet === undefined ? yes('Ready', 'the agent is in the world') : { ...unmet, status: 'False' };
}

function suspendedResult({ agent }: Observed): ConditionResult {
  if (agent.spec?.power === 'Asleep') return yes('Asleep', 'spec.power is Asleep');
  return no('Awake', 'spec.power is Awake, or left out');
}

function quarantinedResult(observed: Observed): ConditionResult {
  if (standingOf(observed).quarantined) return yes('Quarantined', barMessage(observed, 'Quarantined'));
  return no('NotQuarantined', 'no admin has quarantined the agent');
}

function resultsOf(observed: Observed): Chain {
  const { accepted, entitled, admitted } = observed.admission;
  const scheduled = scheduledResult(observed);
  const connected = connectedResult(observed, scheduled);
  const chain: Chain = [
    ['Accepted', accepted],
    ['Entitled', entitled],
    ['Admitted', admitted],
    ['PodScheduled', scheduled],
    ['Connected', connected],
  ];
  return [
    ...chain,
    ['Ready', readyResult(observed, chain)],
    ['Suspended', suspendedResult(observed)],
    ['Quarantined', quarantinedResult(observed)],
    ['Resized', resizedResult(observed)],
    ['UpToDate', upToDateResult(observed)],
    ['HandsReady', handsReadyResult(observed, scheduled)],
    ['CapabilitiesReady', capabilitiesResult(observed, connected)],
    ...rulesResults(observed.checkedRules),
  ];
}

/**
 * When the agent began to wait for a seat of its tier. This time does not change while the operator counts the seats.
 */
function waitingSince({ agent: { spec, status }, seat, admission }: Observed, now: string): string | undefined {
  if (spec?.power === 'Asleep' || admission.entitled.status !== 'True') return undefined;
  if (seat.granted && seat.reason === undefined) return undefined;
  return seat.reason === undefined || seat.reason === 'SeatPending'
    ? status.waitingSince
    : (status.waitingSince ?? now);
}

/**
 * Whether a new Agent's first pod starts without trouble. Its status then waits until the pod runs: a thousand new
 * Agents cost one write each, not two.
 */
export function isOnItsWay({ publishedTier, pod }: Observed): boolean {
  if (publishedTier !== undefined || pod?.phase !== 'Pending' || pod.container?.running === true) return false;
  return pod.scheduled?.status !== 'False' && !isInTrouble(pod);
}

/** The whole status of an Agent, observed after the plan was applied; `now`, in RFC 3339, dates changed conditions. */
export function statusOf(observed: Observed, now: string): AgentStatus {
  const { agent, presence, admission, pod } = observed;
  const { cycle, power, rebootedAt, conditions } = agent.status;
  return present<AgentStatus>({
    conditions: conditionsOf(resultsOf(observed), conditions, now),
    observedGeneration: agent.metadata.generation,
    cycle,
    power,
    rebootedAt,
    tier: admission.tier?.metadata.name,
    nodeName: pod?.nodeName,
    // The name is kept after the pod is gone, because no two pods get the same name: the next cycle uses another.
    podName: pod?.metadata.name ?? agent.status.podName,
    lastSeen: presence?.uid === agent.metadata.uid ? wholeSeconds(presence.last_seen) : agent.status.lastSeen,
    waitingSince: waitingSince(observed, now),
  });
}
