import { MAX_MESSAGE_CHARS, type AgentStatus, type Condition, type ConditionType } from '@hamlet/contract/kinds';
import { connectedVerdict, scheduledVerdict } from './condition/pod-verdict.ts';
import { admissionOf, type Verdict } from './condition/verdict.ts';
import { podOfCycle, type Observed } from './views.ts';

type Chain = readonly (readonly [ConditionType, Verdict])[];

function readyVerdict(observed: Observed, chain: Chain): Verdict {
  if (observed.agent.spec?.power === 'Asleep') return { status: 'False', reason: 'Asleep', message: 'spec.power is Asleep: write Awake to let the agent run' };
  const blocking = chain.find(([, { status }]) => status !== 'True');
  if (blocking === undefined) return { status: 'True', reason: 'Ready', message: 'the agent is in the world' };
  const [, { reason, message }] = blocking;
  return { status: 'False', reason, message };
}

function suspendedVerdict({ agent }: Observed): Verdict {
  if (agent.spec?.power === 'Asleep') return { status: 'True', reason: 'Asleep', message: 'spec.power is Asleep' };
  return { status: 'False', reason: 'Awake', message: 'spec.power is Awake' };
}

function quarantinedVerdict({ standing }: Observed): Verdict {
  if (standing?.quarantined === true) return { status: 'True', reason: 'Quarantined', message: 'an admin has quarantined the agent' };
  return { status: 'False', reason: 'NotQuarantined', message: 'nobody has quarantined the agent' };
}

function cut(message: string): string {
  const characters = [...message];
  return characters.length <= MAX_MESSAGE_CHARS ? message : `${characters.slice(0, MAX_MESSAGE_CHARS - 1).join('')}…`;
}

/** The time of a condition is that of its last change of status; a new reason alone does not move it. */
function conditionOf(type: ConditionType, verdict: Verdict, { before, now }: { readonly before: readonly Condition[]; readonly now: string }): Condition {
  const earlier = before.find((condition) => condition.type === type);
  const { status, reason } = verdict;
  const lastTransitionTime = earlier?.status === status ? earlier.lastTransitionTime : now;
  return { type, status, reason: reason === '' ? 'Unknown' : reason, message: cut(verdict.message), lastTransitionTime };
}

function conditionsOf(observed: Observed, now: string): Condition[] {
  const admission = admissionOf(observed);
  const scheduled = scheduledVerdict(observed, admission);
  const chain: Chain = [
    ['Accepted', admission.accepted],
    ['Entitled', admission.entitled],
    ['Admitted', admission.admitted],
    ['PodScheduled', scheduled],
    ['Connected', connectedVerdict(observed, scheduled)],
  ];
  const all: Chain = [...chain, ['Ready', readyVerdict(observed, chain)], ['Suspended', suspendedVerdict(observed)], ['Quarantined', quarantinedVerdict(observed)]];
  const before = observed.agent.status.conditions ?? [];
  return all.map(([type, verdict]) => conditionOf(type, verdict, { before, now }));
}

const present = (fields: { readonly [K in keyof AgentStatus]?: AgentStatus[K] | undefined }): AgentStatus =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as AgentStatus;

/** Seconds are enough for a person, and the fraction differs between writers. */
const wholeSeconds = (time: string): string => time.replace(/\.\d+(?=Z|[+-])/, '');

/**
 * The whole status, from what was observed after the plan was carried out.
 * @param now RFC 3339, for conditions that change
 */
export function statusOf(observed: Observed, now: string): AgentStatus {
  const { agent, presence } = observed;
  const { cycle, power, rebootedAt } = agent.status;
  const pod = podOfCycle(observed, cycle ?? 0);
  const seen = presence?.uid === agent.metadata.uid ? wholeSeconds(presence.lastSeen) : agent.status.lastSeen;
  return present({
    conditions: conditionsOf(observed, now),
    observedGeneration: agent.metadata.generation,
    cycle,
    power,
    rebootedAt,
    tier: admissionOf(observed).tier?.metadata.name,
    nodeName: pod?.nodeName,
    podName: pod?.metadata.name,
    lastSeen: seen,
  });
}
