import { NO_ROOM, type Room, type SeatRequest, type SeatInput, type SeatNode } from '@hamlet/core/seats';
import { keyOf, type ObjectCache } from '@hamlet/kube';
import { BY_CLAIM, BY_OWNER } from '../../objects/watched.ts';
import { claimName, VOLUME_NODE_ANNOTATION } from '../../objects/names.ts';
import type { CachedAgent, NodeView, TierView, VolumeClaimView, VolumeView } from '../../objects/cached-objects.ts';
import type { Boost, NodeShortage } from '@hamlet/contract';
import type { PodView } from '../../objects/pod-view.ts';
import type { ForeignPodView } from './foreign-pod.ts';
import { isSchedulersChoice } from '../../objects/tier-compute.ts';
import type { AgentSeat, VolumeNode } from './seat-request.ts';
import { boostedSeat, endingPods, holdingPod, podRoom, seatRequest, seatTier } from './seat-request.ts';

export interface Entitled {
  readonly tier: TierView | undefined;
  readonly barred: boolean;
  readonly boost?: Boost | undefined;
}

export interface SeatSources {
  readonly agents: ObjectCache<CachedAgent>;
  readonly pods: ObjectCache<PodView>;
  readonly claims: ObjectCache<VolumeClaimView>;
  readonly volumes: ObjectCache<VolumeView>;
  readonly nodes: ObjectCache<NodeView>;
  readonly foreign: readonly ObjectCache<ForeignPodView>[];
  readonly tiers: () => readonly TierView[];
  /** Undefined for a node that is not short of memory. */
  readonly shortageOf: (node: string) => NodeShortage | undefined;
  readonly entitled: (agent: CachedAgent) => Entitled;
  readonly reserve: Room;
}

export interface Counted {
  readonly input: SeatInput;
  readonly agents: ReadonlyMap<string, number>;
}

type Taken = Map<string, { cpuMillis: number; memoryBytes: number; pods: number; devices: Record<string, number> }>;

function take(taken: Taken, node: string, room: Room): void {
  const sum = taken.get(node) ?? { ...NO_ROOM, devices: {} };
  sum.cpuMillis += room.cpuMillis;
  sum.memoryBytes += room.memoryBytes;
  sum.pods += room.pods;
  for (const [name, count] of Object.entries(room.devices)) sum.devices[name] = (sum.devices[name] ?? 0) + count;
  taken.set(node, sum);
}

/** True if agents may get seats on the node. Their pods tolerate no taints, so a tainted node is closed to them. */
const isOpen = ({ ready, cordoned, taints }: NodeView): boolean => ready && !cordoned && taints.length === 0;

interface NodeUse {
  readonly taken: Taken;
  readonly ending: Taken;
}

function seatNode({ shortageOf }: SeatSources, node: NodeView, { taken, ending }: NodeUse): SeatNode {
  const { name } = node.metadata;
  return {
    name,
    open: isOpen(node),
    short: shortageOf(name)?.short,
    allocatable: node.allocatable,
    taken: taken.get(name) ?? NO_ROOM,
    ending: ending.get(name),
  };
}

const wantsToRun = ({ metadata, spec }: CachedAgent): boolean =>
  spec?.power === 'Awake' && metadata.deletionTimestamp === undefined;

function requestAs(
  sources: SeatSources,
  agent: CachedAgent,
  { tier, seat }: { readonly tier: TierView; readonly seat: AgentSeat },
): SeatRequest {
  const { metadata } = agent;
  const claim = sources.claims.get(keyOf({ namespace: metadata.namespace, name: claimName(metadata) }));
  const pods = sources.pods.by(BY_OWNER, metadata.uid);
  const nodeName = holdingPod(pods)?.nodeName;
  const shortage = nodeName === undefined ? undefined : sources.shortageOf(nodeName);
  return seatRequest({
    agent,
    tier: seat,
    isPaused: shortage?.paused.includes(metadata.name) === true,
    isRoaming: agent.spec !== undefined && isSchedulersChoice(agent.spec, tier),
    pods,
    volumeNode: volumeNodeOf(sources, claim),
  });
}

function volumeNodeOf({ nodes, volumes }: SeatSources, claim: VolumeClaimView | undefined): VolumeNode | undefined {
  const name = claim?.metadata.annotations?.[VOLUME_NODE_ANNOTATION];
  if (claim === undefined || name === undefined) return undefined;
  const [volume] = volumes.by(BY_CLAIM, claim.metadata.uid);
  return { name, ready: nodes.get(name)?.ready === true, local: volume?.local === true };
}

export function requestOf(sources: SeatSources, agent: CachedAgent): SeatRequest | undefined {
  if (!wantsToRun(agent)) return undefined;
  const { tier, barred, boost } = sources.entitled(agent);
  if (tier === undefined || barred) return undefined;
  return requestAs(sources, agent, { tier, seat: boostedSeat(seatTier(tier), boost) });
}

/** The seat of a tier, computed once for each Entitlement, and again only for a tier that a purchase has changed. */
function sizes(tiers: readonly TierView[]): (tier: TierView | undefined) => AgentSeat | undefined {
  const known = new Map(tiers.map((tier) => [tier.metadata.name, { tier, size: seatTier(tier) }]));
  return (tier) => {
    const found = tier === undefined ? undefined : known.get(tier.metadata.name);
    return tier === undefined || found === undefined || found.tier === tier ? found?.size : seatTier(tier);
  };
}

export function countSeats(sources: SeatSources): Counted {
  const tiers = sources.tiers();
  const sizeOf = sizes(tiers);
  const agents = new Map<string, number>();
  const taken: Taken = new Map();
  const ending: Taken = new Map();
  const requests: SeatRequest[] = [];
  for (const agent of sources.agents.values()) {
    const { tier, barred, boost } = sources.entitled(agent);
    const sized = sizeOf(tier);
    if (sized !== undefined) agents.set(sized.name, (agents.get(sized.name) ?? 0) + 1);
    if (tier !== undefined && sized !== undefined && !barred && wantsToRun(agent))
      requests.push(requestAs(sources, agent, { tier, seat: boostedSeat(sized, boost) }));
    else keep(sources, agent, { taken, ending });
  }
  takeForeign(sources, taken);
  const nodes = [...sources.nodes.values()].map((node) => seatNode(sources, node, { taken, ending }));
  return { input: { nodes, tiers: tiers.map(seatTier), requests, reserve: sources.reserve }, agents };
}

function takeForeign({ foreign }: SeatSources, taken: Taken): void {
  for (const cache of foreign) {
    for (const { nodeName, takes } of cache.values()) {
      if (nodeName !== undefined) take(taken, nodeName, takes);
    }
  }
}

/** Counts the room of an agent without a request, because its tier is gone or its pod ends, until the pod is gone. */
function keep({ pods }: SeatSources, { metadata }: CachedAgent, { taken, ending }: NodeUse): void {
  const own = pods.by(BY_OWNER, metadata.uid);
  for (const { node, size } of endingPods(own)) take(ending, node, size);
  const pod = holdingPod(own);
  const room = pod === undefined ? undefined : podRoom(pod);
  if (pod?.nodeName !== undefined && room !== undefined) take(taken, pod.nodeName, room);
}
