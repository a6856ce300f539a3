import { handsImageOf, tiersFor } from '../../objects/hands.ts';
import { boostedTiers } from '../../objects/tier-compute.ts';
import type { CachedAgent, NodeView, TierView, VolumeClaimView } from '../../objects/cached-objects.ts';
import {
  claimName,
  cycleInName,
  HOSTS_ANNOTATION,
  podName,
  REBOOTED_ANNOTATION,
  SEAT_ANNOTATION,
  VOLUME_NODE_ANNOTATION,
} from '../../objects/names.ts';
import type { PodView } from '../../objects/pod-view.ts';
import type { CheckRules } from '../../objects/rule-checker.ts';
import { hostsText } from '../../objects/service-hosts.ts';
import { BY_OWNER } from '../../objects/watched.ts';
import { type ApiFacts, apiStateOf, holdAt } from '../../village/api-state.ts';
import { type Admission, admissionOf } from './condition/admission.ts';
import { hasSeatOfTier, needsReplacement } from './condition/sizing.ts';
import type { Facts, FactsWithPod, NodeState, Refusal, ResizeAttempt, Settings } from './facts.ts';
import { withPod } from './facts.ts';
import type { SeatDecision } from '@hamlet/core/seats';
import { keyOf, type ObjectCache } from '@hamlet/kube';
import type { AgentStatus } from '@hamlet/contract/kinds';
import type { Turn } from './upgrade-turn.ts';

/** True if the pod needs the current image or compute, and if so, whether it is this agent's turn to get a new pod. */
export type Upgrade = 'none' | Turn;

export interface Observed extends FactsWithPod {
  readonly admission: Admission;
  readonly upgrade: Upgrade;
}

export interface Sources {
  readonly agents: ObjectCache<CachedAgent>;
  readonly pods: ObjectCache<PodView>;
  readonly claims: ObjectCache<VolumeClaimView>;
  readonly nodes: ObjectCache<NodeView>;
  readonly tiers: () => readonly TierView[];
  readonly village: ApiFacts;
  readonly turnOf: (key: string) => Turn;
  /** The seat of an Agent; undefined until it is counted. Without this function every Agent has a seat. */
  readonly seatOf?: (key: string) => SeatDecision | undefined;
  readonly resizeOf: (pod: PodView) => ResizeAttempt | undefined;
  readonly refusals: ReadonlyMap<string, Refusal>;
  /** Maps an Agent's uid to a cycle whose pod disappeared before the status recorded that cycle. */
  readonly ended: ReadonlyMap<string, number>;
  /** Checks names and examples of rules. Without this function no Agent has the condition RulesChecked. */
  readonly checkRules?: CheckRules;
  readonly settings: () => Settings;
  readonly nowMs: () => number;
}

/**
 * The status with the cycle of the newest pod, whose name is NAME-CYCLE, because the operator may end before it writes that
 * status.
 * @param ended a cycle whose pod disappeared before the status recorded that cycle
 */
export function statusFromPods({ metadata, status }: CachedAgent, pods: readonly PodView[], ended = 0): AgentStatus {
  const written = status.cycle ?? 0;
  const newest = pods
    .map((pod) => ({ pod, cycle: cycleInName(metadata.name, pod.metadata.name) }))
    .reduce<{ readonly pod?: PodView; readonly cycle: number }>(
      (best, each) => (each.cycle > best.cycle ? each : best),
      { cycle: Math.max(written, ended) },
    );
  const { pod, cycle } = newest;
  if (pod === undefined)
    return ended > written ? { ...status, cycle, power: 'Awake', podName: podName(metadata, ended) } : status;
  const { nodeName: _node, rebootedAt: _before, ...kept } = status;
  const rebootedAt = pod.metadata.annotations?.[REBOOTED_ANNOTATION];
  return {
    ...kept,
    cycle,
    power: 'Awake',
    podName: pod.metadata.name,
    ...(rebootedAt === undefined ? {} : { rebootedAt }),
  };
}

function nodeState(nodes: ObjectCache<NodeView>, name: string | undefined): NodeState | undefined {
  if (name === undefined) return undefined;
  const node = nodes.get(name);
  return { name, ready: node?.ready === true, cordoned: node?.cordoned === true, exists: node !== undefined };
}

const SEATED: SeatDecision = { granted: true };
const UNCOUNTED: SeatDecision = { granted: false };

function seatIn({ seatOf }: Sources, key: string): SeatDecision {
  return seatOf === undefined ? SEATED : (seatOf(key) ?? UNCOUNTED);
}

/** The next cycle whose pod name is free. An earlier Agent of the same name may still have pods with such names. */
function nextFreeCycle({ pods }: Sources, { metadata, status }: CachedAgent, own: readonly PodView[]): number {
  const isTaken = (cycle: number): boolean => {
    const pod = pods.get(keyOf({ namespace: metadata.namespace, name: podName(metadata, cycle) }));
    return pod !== undefined && !own.includes(pod);
  };
  let next = (status.cycle ?? 0) + 1;
  while (isTaken(next)) next += 1;
  return next;
}

type Own = Pick<Facts, 'agent' | 'publishedTier' | 'pods'>;

function ownFacts(sources: Sources, key: string): Own | undefined {
  const written = sources.agents.get(key);
  if (written === undefined) return undefined;
  const { uid } = written.metadata;
  const pods = sources.pods.by(BY_OWNER, uid);
  const status = statusFromPods(written, pods, sources.ended.get(uid));
  return { agent: { ...written, status }, publishedTier: written.status.tier, pods };
}

/** The node to which the seat binds the pod, until the scheduler has placed the pod. */
function seatNodeOf(pod: PodView | undefined): string | undefined {
  return pod?.nodeName === undefined ? pod?.metadata.annotations?.[SEAT_ANNOTATION] : undefined;
}

type Surroundings = Pick<
  Facts,
  'nameTaken' | 'nextCycle' | 'claim' | 'node' | 'volumeNode' | 'seatNode' | 'pinnedNode' | 'resize'
>;

function surroundings(sources: Sources, { agent, pods }: Own): Surroundings {
  const { nodes } = sources;
  const { namespace } = agent.metadata;
  const named = sources.pods.get(keyOf({ namespace, name: podName(agent.metadata, agent.status.cycle ?? 0) }));
  const pod = pods.find((each) => each === named);
  const claim = sources.claims.get(keyOf({ namespace, name: claimName(agent.metadata) }));
  return {
    nameTaken: named !== undefined && pod === undefined,
    nextCycle: nextFreeCycle(sources, agent, pods),
    claim,
    node: nodeState(nodes, pod?.nodeName),
    volumeNode: nodeState(nodes, claim?.metadata.annotations?.[VOLUME_NODE_ANNOTATION]),
    seatNode: nodeState(nodes, seatNodeOf(pod)),
    pinnedNode: nodeState(nodes, agent.spec?.placement.nodeName),
    resize: pod === undefined ? undefined : sources.resizeOf(pod),
  };
}

/** The api's facts about an agent that decide its tier, and its tiers with the GPUs that it currently has bought. */
export function entitledFacts(
  { village, tiers, nowMs }: Pick<Sources, 'village' | 'tiers' | 'nowMs'>,
  agent: CachedAgent,
) {
  const { name } = agent.metadata;
  const boost = village.boostOf?.(name);
  return {
    boost,
    tiers: tiersFor(boostedTiers(tiers(), boost), agent.spec),
    standing: village.standingOf(name),
    apiState: apiStateOf(village),
    hold: holdAt(village.claimOf?.(name), nowMs()),
  };
}

function factsOf(sources: Sources, key: string): Facts | undefined {
  const own = ownFacts(sources, key);
  if (own === undefined) return undefined;
  const { village } = sources;
  const { name } = own.agent.metadata;
  return {
    ...own,
    ...surroundings(sources, own),
    ...entitledFacts(sources, own.agent),
    presence: village.presenceOf(name),
    capabilities: village.capabilitiesOf?.(name),
    checkedRules: own.agent.spec?.tools && sources.checkRules?.(own.agent.spec.tools),
    seat: seatIn(sources, key),
    refusal: sources.refusals.get(key),
    settings: sources.settings(),
  };
}

/** True if the pod has the current image and hosts, and the hands of the spec. */
export function isCurrent({ agent: { spec }, settings }: Pick<Facts, 'agent' | 'settings'>, pod: PodView): boolean {
  return (
    pod.image === settings.image &&
    pod.metadata.annotations?.[HOSTS_ANNOTATION] === hostsText(settings.hosts) &&
    (spec === undefined || pod.hands === handsImageOf(spec, settings))
  );
}

/** Derives pod, admission and upgrade from the facts, once for each reconcile; calls `turn` only if the pod must be replaced. */
export function observedFrom(facts: Facts, turn: () => Upgrade): Observed {
  const own = withPod(facts);
  const admission = admissionOf(own);
  const { pod } = own;
  const { tier } = admission;
  const isOld =
    pod !== undefined &&
    (!isCurrent(own, pod) || (tier !== undefined && hasSeatOfTier(own) && needsReplacement(pod, tier)));
  return { ...own, admission, upgrade: isOld ? turn() : 'none' };
}

export function observe(sources: Sources, key: string): Observed | undefined {
  const facts = factsOf(sources, key);
  return facts === undefined ? undefined : observedFrom(facts, () => sources.turnOf(key));
}
