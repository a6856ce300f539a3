import type { SeatVerdict } from '@hamlet/core/seats';
import { keyOf, type ObjectCache } from '@hamlet/kube';
import { boostedTiers } from './child/boosted-tier.ts';
import { admissionOf } from './condition/verdict.ts';
import { livedStatus } from './cycle.ts';
import type { Turn } from './pod/upgrade-turn.ts';
import { hasSeatOfTier, isOfOtherMaking } from './pod/sizing.ts';
import {
  podName,
  podOfCycle,
  claimName,
  SEAT_ANNOTATION,
  type AgentView,
  type Boost,
  type ClaimView,
  type Hold,
  type HoldFacts,
  type Knowledge,
  type NodeState,
  type NodeView,
  type Observed,
  type PodView,
  type Presence,
  type Refusal,
  type ResizeAttempt,
  type Settings,
  type Standing,
  type TierView,
  type Upgrade,
} from './views.ts';

/** Where the scheduler writes the node of a volume that it places with its first pod. */
export const VOLUME_NODE_ANNOTATION = 'volume.kubernetes.io/selected-node';
/** Index of pods by the uid of the Agent that owns them. */
export const BY_OWNER = 'owner';

/** What the village knows of agents beyond the cluster. */
export interface VillageFacts {
  /** The api answers now. */
  readonly reachable: boolean;
  /** All that holds has been heard once. */
  readonly heard: boolean;
  standingOf(agentId: string): Standing | undefined;
  presenceOf(agentId: string): Presence | undefined;
  /** What the agent has bought for a time. */
  boostOf?(agentId: string): Boost | undefined;
  /** What is set aside for the agent; nothing where nobody asks for money. */
  holdOf?(agentId: string): HoldFacts | undefined;
}

/** Everything that observations are made of. */
export interface Sources {
  readonly agents: ObjectCache<AgentView>;
  readonly pods: ObjectCache<PodView>;
  readonly claims: ObjectCache<ClaimView>;
  readonly nodes: ObjectCache<NodeView>;
  /** The readable Entitlements by rank, lowest first. */
  readonly tiers: () => readonly TierView[];
  readonly village: VillageFacts;
  /** Whether it is the turn of this Agent to get another image. */
  readonly turnOf: (key: string) => Turn;
  /** The seat of an Agent; undefined while it is not counted. Everybody has one where nobody counts. */
  readonly seatOf?: (key: string) => SeatVerdict | undefined;
  /** The resize that the pod is in, if it is in one. */
  readonly resizeOf: (pod: PodView) => ResizeAttempt | undefined;
  readonly refusals: ReadonlyMap<string, Refusal>;
  /** By the uid of an Agent: a cycle whose pod went before the status told of it. */
  readonly ended: ReadonlyMap<string, number>;
  readonly settings: Settings;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

function nodeState(nodes: ObjectCache<NodeView>, name: string | undefined): NodeState | undefined {
  if (name === undefined) return undefined;
  const node = nodes.get(name);
  return { name, ready: node?.ready === true, cordoned: node?.cordoned === true, exists: node !== undefined };
}

/** A pod must be gone, or smaller, when the time that is paid for is over: it is given up so long before. */
const LAPSES_MS = 15_000;
/** Half of the minute for which the api leaves alone what was asked for. */
const FRESH_MS = 30_000;

/** What is set aside for an agent, as it counts now. */
export function holdAt(facts: HoldFacts | undefined, nowMs: number): Hold | undefined {
  if (facts === undefined) return undefined;
  const { untilMs, askedMs } = facts;
  return {
    ...facts,
    lapsed: untilMs === undefined || untilMs - LAPSES_MS <= nowMs,
    fresh: askedMs !== undefined && nowMs - askedMs < FRESH_MS,
  };
}

/** When a hold lapses unless it is renewed, in milliseconds from now. */
export function lapsesInMs({ untilMs }: Pick<HoldFacts, 'untilMs'>, nowMs: number): number {
  return (untilMs ?? nowMs) - LAPSES_MS - nowMs;
}

/** How much of the api's mind is known. */
export function knowledgeOf({ reachable, heard }: VillageFacts): Knowledge {
  if (!heard) return 'None';
  return reachable ? 'Current' : 'Last';
}

/** Nobody asks for a turn who does not need one. */
function upgradeOf(sources: Sources, key: string, observed: Observed): Upgrade {
  const pod = podOfCycle(observed, observed.agent.status.cycle ?? 0);
  if (pod === undefined) return 'none';
  const { tier } = admissionOf(observed);
  const isOld =
    pod.image !== sources.settings.image ||
    (tier !== undefined && hasSeatOfTier(observed) && isOfOtherMaking(pod, tier));
  if (!isOld) return 'none';
  return sources.turnOf(key);
}

const SEATED: SeatVerdict = { granted: true };
const UNCOUNTED: SeatVerdict = { granted: false };

function seatIn({ seatOf }: Sources, key: string): SeatVerdict {
  return seatOf === undefined ? SEATED : (seatOf(key) ?? UNCOUNTED);
}

/** Names that other pods have, of an earlier life for example, are left out. */
function nextFreeCycle({ pods }: Sources, { metadata, status }: AgentView, own: readonly PodView[]): number {
  const isTaken = (cycle: number): boolean => {
    const pod = pods.get(keyOf({ namespace: metadata.namespace, name: podName(metadata, cycle) }));
    return pod !== undefined && !own.includes(pod);
  };
  let next = (status.cycle ?? 0) + 1;
  while (isTaken(next)) next += 1;
  return next;
}

type Own = Pick<Observed, 'agent' | 'toldTier' | 'pods'>;

function ownState(sources: Sources, key: string): Own | undefined {
  const written = sources.agents.get(key);
  if (written === undefined) return undefined;
  const { uid } = written.metadata;
  const pods = sources.pods.by(BY_OWNER, uid);
  return {
    agent: { ...written, status: livedStatus(written, pods, sources.ended.get(uid)) },
    toldTier: written.status.tier,
    pods,
  };
}

/** The node that a pod was made for, while it waits for the scheduler. */
function heldNodeOf(pod: PodView | undefined): string | undefined {
  return pod?.nodeName === undefined ? pod?.metadata.annotations?.[SEAT_ANNOTATION] : undefined;
}

/** What the Agent depends on, and whom it has not made. */
function surroundings(
  sources: Sources,
  { agent, pods }: Own,
): Pick<
  Observed,
  'nameTaken' | 'nextCycle' | 'claim' | 'tiers' | 'node' | 'volumeNode' | 'seatNode' | 'pinnedNode' | 'resize'
> {
  const { namespace } = agent.metadata;
  const named = sources.pods.get(keyOf({ namespace, name: podName(agent.metadata, agent.status.cycle ?? 0) }));
  const pod = pods.find((each) => each === named);
  const claim = sources.claims.get(keyOf({ namespace, name: claimName(agent.metadata) }));
  return {
    nameTaken: named !== undefined && pod === undefined,
    nextCycle: nextFreeCycle(sources, agent, pods),
    claim,
    tiers: boostedTiers(sources.tiers(), sources.village.boostOf?.(agent.metadata.name)),
    node: nodeState(sources.nodes, pod?.nodeName),
    volumeNode: nodeState(sources.nodes, claim?.metadata.annotations?.[VOLUME_NODE_ANNOTATION]),
    seatNode: nodeState(sources.nodes, heldNodeOf(pod)),
    pinnedNode: nodeState(sources.nodes, agent.spec?.placement.nodeName),
    resize: pod === undefined ? undefined : sources.resizeOf(pod),
  };
}

/** Gathers one plain value about one Agent; undefined if there is no such Agent. */
export function observe(sources: Sources, key: string): Observed | undefined {
  const own = ownState(sources, key);
  if (own === undefined) return undefined;
  const { name } = own.agent.metadata;
  const observed: Observed = {
    ...own,
    ...surroundings(sources, own),
    standing: sources.village.standingOf(name),
    presence: sources.village.presenceOf(name),
    knowledge: knowledgeOf(sources.village),
    hold: holdAt(sources.village.holdOf?.(name), sources.nowMs()),
    seat: seatIn(sources, key),
    upgrade: 'none',
    refusal: sources.refusals.get(key),
    settings: sources.settings,
  };
  const upgrade = upgradeOf(sources, key, observed);
  return upgrade === 'none' ? observed : { ...observed, upgrade };
}
