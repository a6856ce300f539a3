import { MAX_MESSAGE_CHARS, type AgentStatus, type Condition, type ConditionType } from '@hamlet/contract/kinds';
import { connectedVerdict, isInTrouble, scheduledVerdict } from '../condition/pod-verdict.ts';
import { resizedVerdict } from '../condition/resized.ts';
import { upToDateVerdict } from '../condition/up-to-date.ts';
import { barMessage, standingOf } from '../condition/standing.ts';
import { admissionOf, type Admission, type Verdict } from '../condition/verdict.ts';
import { podOfCycle, type Observed } from '../views.ts';

type Chain = readonly (readonly [ConditionType, Verdict])[];

function readyVerdict(observed: Observed, chain: Chain): Verdict {
  if (observed.agent.spec?.power === 'Asleep')
    return { status: 'False', reason: 'Asleep', message: 'spec.power is Asleep: write Awake to let the agent run' };
  const blocking = chain.find(([, { status }]) => status !== 'True');
  if (blocking === undefined) return { status: 'True', reason: 'Ready', message: 'the agent is in the world' };
  const [, { reason, message }] = blocking;
  return { status: 'False', reason, message };
}

function suspendedVerdict({ agent }: Observed): Verdict {
  if (agent.spec?.power === 'Asleep') return { status: 'True', reason: 'Asleep', message: 'spec.power is Asleep' };
  return { status: 'False', reason: 'Awake', message: 'spec.power is Awake, or left out' };
}

function quarantinedVerdict(observed: Observed): Verdict {
  if (standingOf(observed).quarantined)
    return { status: 'True', reason: 'Quarantined', message: barMessage(observed, 'Quarantined') };
  return { status: 'False', reason: 'NotQuarantined', message: 'nobody has quarantined the agent' };
}

function cut(message: string): string {
  const characters = [...message];
  return characters.length <= MAX_MESSAGE_CHARS ? message : `${characters.slice(0, MAX_MESSAGE_CHARS - 1).join('')}…`;
}

/** The time of a condition is that of its last change of status; a new reason alone does not move it. */
function conditionOf(
  type: ConditionType,
  verdict: Verdict,
  { before, now }: { readonly before: readonly Condition[]; readonly now: string },
): Condition {
  const earlier = before.find((condition) => condition.type === type);
  const { status, reason } = verdict;
  const lastTransitionTime = earlier?.status === status ? earlier.lastTransitionTime : now;
  return {
    type,
    status,
    reason: reason === '' ? 'Unknown' : reason,
    message: cut(verdict.message),
    lastTransitionTime,
  };
}

function conditionsOf(observed: Observed, admission: Admission, now: string): Condition[] {
  const scheduled = scheduledVerdict(observed, admission);
  const chain: Chain = [
    ['Accepted', admission.accepted],
    ['Entitled', admission.entitled],
    ['Admitted', admission.admitted],
    ['PodScheduled', scheduled],
    ['Connected', connectedVerdict(observed, scheduled)],
  ];
  const all: Chain = [
    ...chain,
    ['Ready', readyVerdict(observed, chain)],
    ['Suspended', suspendedVerdict(observed)],
    ['Quarantined', quarantinedVerdict(observed)],
    ['Resized', resizedVerdict(observed, admission.tier)],
    ['UpToDate', upToDateVerdict(observed)],
  ];
  const before = observed.agent.status.conditions ?? [];
  return all.map(([type, verdict]) => conditionOf(type, verdict, { before, now }));
}

const present = (fields: { readonly [K in keyof AgentStatus]?: AgentStatus[K] | undefined }): AgentStatus =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as AgentStatus;

/** Seconds are enough for a person, and the fraction differs between writers. */
const wholeSeconds = (time: string): string => time.replace(/\.\d+(?=Z|[+-])/, '');

/** Since when the agent waits for a seat, or for the one of its tier. While seats are being counted, nothing is said anew. */
function waitingSince(
  { agent: { spec, status }, seat }: Observed,
  { entitled }: Admission,
  now: string,
): string | undefined {
  if (spec?.power === 'Asleep' || entitled.status !== 'True') return undefined;
  if (seat.granted && seat.reason === undefined) return undefined;
  return seat.reason === undefined || seat.reason === 'SeatPending'
    ? status.waitingSince
    : (status.waitingSince ?? now);
}

/**
 * Whether the first pod of a new Agent is on its way and nothing is wrong with it. Its status can wait until it runs:
 * of a thousand Agents that are applied at once each is written once and not twice.
 */
export function isOnItsWay(observed: Observed): boolean {
  const pod = podOfCycle(observed, observed.agent.status.cycle ?? 0);
  if (observed.toldTier !== undefined || pod === undefined || pod.phase !== 'Pending') return false;
  return pod.scheduled?.status !== 'False' && !isInTrouble(pod);
}

/**
 * The whole status, from what was observed after the plan was carried out.
 * @param now RFC 3339, for conditions that change
 */
export function statusOf(observed: Observed, now: string): AgentStatus {
  const { agent, presence } = observed;
  const { cycle, power, rebootedAt } = agent.status;
  const admission = admissionOf(observed);
  const pod = podOfCycle(observed, cycle ?? 0);
  const seen = presence?.uid === agent.metadata.uid ? wholeSeconds(presence.lastSeen) : agent.status.lastSeen;
  return present({
    conditions: conditionsOf(observed, admission, now),
    observedGeneration: agent.metadata.generation,
    cycle,
    power,
    rebootedAt,
    tier: admission.tier?.metadata.name,
    nodeName: pod?.nodeName,
    // Kept when the pod is gone: its name stands for one pod for ever, and the next cycle begins with another.
    podName: pod?.metadata.name ?? agent.status.podName,
    lastSeen: seen,
    waitingSince: waitingSince(observed, admission, now),
  });
}
