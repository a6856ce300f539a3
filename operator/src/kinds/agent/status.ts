import { type AgentStatus, type ConditionType, firstUnmet } from '@hamlet/contract/kinds';
import { memoryShortage } from '@hamlet/core/mind-memory';
import { type ConditionResult, conditionsOf, no, present, wholeSeconds, yes } from '../../status/condition.ts';
import { rulesResults } from '../../status/rules-condition.ts';
import {
  ASLEEP,
  connectedResult,
  IMAGE_REASONS,
  isInTrouble,
  resizedResult,
  scheduledResult,
  STARTING_REASONS,
  upToDateResult,
} from './condition/pod-conditions.ts';
import { barMessage, standingOf } from './condition/standing.ts';
import type { Observed } from './observe.ts';
import type { TierView } from '../../objects/cached-objects.ts';
import { hasHands } from '../../objects/hands.ts';
import { type ContainerState, isLiving } from '../../objects/pod-view.ts';

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

/** When the agent began to wait for a seat of its tier. This time does not change while the operator counts the seats. */
function waitingSince({ agent: { spec, status }, seat, admission }: Observed, now: string): string | undefined {
  if (spec?.power === 'Asleep' || admission.entitled.status !== 'True') return undefined;
  if (seat.granted && seat.reason === undefined) return undefined;
  return seat.reason === undefined || seat.reason === 'SeatPending'
    ? status.waitingSince
    : (status.waitingSince ?? now);
}

/**
 * True if a new Agent's first pod starts without problems. Its status then waits until the pod runs: a thousand new Agents cost
 * one write each instead of two.
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

const memoryOf = ({ metadata: { name }, spec: { rank, compute } }: TierView) => ({
  name,
  rank,
  memory: compute.resources.memory,
});

/** Why the tier has too little memory for the program that is the agent's mind; null if it has enough. */
function shortage({ agent: { spec }, admission: { tier }, tiers }: Observed): string | null {
  if (spec?.preset === undefined || tier === undefined || !hasHands(spec)) return null;
  return memoryShortage(spec.preset, memoryOf(tier), tiers.map(memoryOf));
}

/**
 * `CapabilitiesReady`: false if the tier has too little memory for the mind, which is known before the first run, or if the resident
 * lacks a capability that its Agent was promised. It does not affect Ready, because the agent continues to work. A resident counts as
 * complete until it reports, so that the start of an agent costs one write.
 * @param connected the condition Connected
 */
function capabilitiesResult(observed: Observed, connected: ConditionResult): ConditionResult {
  const short = shortage(observed);
  if (short !== null) return no('MemoryShort', short);
  const {
    agent: { metadata, status },
    capabilities,
  } = observed;
  if (connected.reason === 'Asleep') return connected;
  if (connected.status !== 'True') return no('Waiting', 'waits for Connected');
  const isPresent = capabilities?.uid === metadata.uid && capabilities.cycle === (status.cycle ?? 0);
  if (!isPresent || capabilities.broken === 0)
    return yes('NothingMissing', 'the resident has reported nothing as missing');
  const { broken, checked, message } = capabilities;
  return no('CapabilityMissing', `${broken} of ${checked} are missing: ${message}`);
}

type EndReason = 'HandsOutOfMemory' | 'HandsCrashLooping' | 'HandsRestarted';

function ended({ restarts, lastEnd }: ContainerState, next: string): string {
  return `the hands ended, last: ${lastEnd ?? 'unknown'}; restarts: ${restarts}; ${next}`;
}

/** The reason for the last end: memory explains more than the loop or the restart that follows. */
function endReason({ outOfMemory, waitingReason }: ContainerState): EndReason {
  if (outOfMemory) return 'HandsOutOfMemory';
  return waitingReason === 'CrashLoopBackOff' ? 'HandsCrashLooping' : 'HandsRestarted';
}

function whileWaiting(hands: ContainerState, waitingReason: string): ConditionResult {
  const { waitingMessage } = hands;
  if (STARTING_REASONS.has(waitingReason)) return no('Starting', 'the hands are starting');
  if (waitingReason === 'CrashLoopBackOff')
    return no(endReason(hands), ended(hands, 'the node waits before it starts them again'));
  const detail = `the hands: ${waitingReason}${waitingMessage === undefined ? '' : `: ${waitingMessage}`}`;
  return no(IMAGE_REASONS.has(waitingReason) ? 'ImageUnavailable' : 'ContainerWaiting', detail);
}

function ofContainer(hands: ContainerState, pod: string): ConditionResult {
  const { running, waitingReason, restarts, lastEnd } = hands;
  if (waitingReason !== undefined) return whileWaiting(hands, waitingReason);
  if (!running && lastEnd === undefined) return no('Starting', 'the hands are starting');
  if (!running) return no(endReason(hands), ended(hands, 'the node is about to start them again'));
  return restarts === 0
    ? yes('HandsRunning', `the hands run in pod ${pod}`)
    : yes(endReason(hands), ended(hands, 'they run again'));
}

/**
 * `HandsReady`: true if tools can start. It does not affect Ready, because an agent without its hands is connected and answers.
 * @param scheduled the condition PodScheduled
 */
function handsReadyResult({ pod, node }: Observed, scheduled: ConditionResult): ConditionResult {
  if (scheduled.reason === 'Asleep') return scheduled;
  if (pod === undefined || scheduled.status !== 'True') return no('Waiting', 'waits for PodScheduled');
  const { name } = pod.metadata;
  if (pod.hands === undefined || pod.hands === '') return yes('NoHands', `pod ${name} has no container for hands`);
  // The hands of a pod that ends also end, which is not a failure.
  if (!isLiving(pod)) return no('Waiting', `pod ${name} is ending`);
  if (node?.ready === false)
    return { status: 'Unknown', reason: 'Waiting', message: `node ${node.name} does not answer` };
  return pod.handsContainer === undefined
    ? no('Starting', `the node has not started the hands of pod ${name} yet`)
    : ofContainer(pod.handsContainer, name);
}
