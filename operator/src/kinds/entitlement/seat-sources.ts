import { NO_ROOM, type Room, type SeatClaim, type SeatInput, type SeatNode, type SeatTier } from '@hamlet/core/seats';
import { keyOf, type ObjectCache } from '@hamlet/kube';
import { BY_OWNER, VOLUME_NODE_ANNOTATION } from '../agent/observe.ts';
import {
  claimName,
  type AgentView,
  type Boost,
  type ClaimView,
  type NodeView,
  type PodView,
  type TierView,
} from '../agent/views.ts';
import type { ForeignPodView } from './foreign-pod.ts';
import { boostedSeat, endingPods, holdingPod, podRoom, seatClaim, seatTier, type AgentSeat } from './seat-claim.ts';

/** Which tier an agent has, and whether anything keeps it from a pod: its standing, a tier that is not there. */
export interface Entitled {
  /** As the agent has it, with the GPUs of a window that it has bought. */
  readonly tier: TierView | undefined;
  readonly barred: boolean;
  /** What it has bought for a time. */
  readonly boost?: Boost | undefined;
}

/** Everything that seats are counted from. */
export interface SeatSources {
  readonly agents: ObjectCache<AgentView>;
  readonly pods: ObjectCache<PodView>;
  readonly claims: ObjectCache<ClaimView>;
  readonly nodes: ObjectCache<NodeView>;
  readonly foreign: readonly ObjectCache<ForeignPodView>[];
  /** The readable Entitlements. */
  readonly tiers: () => readonly TierView[];
  readonly entitled: (agent: AgentView) => Entitled;
  /** What every node keeps for itself. */
  readonly reserve: Room;
}

/** The input of a plan, and what is counted on the way. */
export interface Counted {
  readonly input: SeatInput;
  /** Agents by tier, awake or asleep. */
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

/** Agents tolerate no taint of their own choosing: a tainted node is not theirs. */
const isOpen = ({ ready, cordoned, taints }: NodeView): boolean => ready && !cordoned && taints.length === 0;

function seatNode(node: NodeView, { taken, ending }: { readonly taken: Taken; readonly ending: Taken }): SeatNode {
  const { name } = node.metadata;
  return {
    name,
    open: isOpen(node),
    allocatable: node.allocatable,
    taken: taken.get(name) ?? NO_ROOM,
    ending: ending.get(name),
  };
}

const wantsToRun = ({ metadata, spec }: AgentView): boolean =>
  spec?.power === 'Awake' && metadata.deletionTimestamp === undefined;

function claimAs(sources: SeatSources, agent: AgentView, tier: AgentSeat): SeatClaim {
  const { metadata } = agent;
  const claim = sources.claims.get(keyOf({ namespace: metadata.namespace, name: claimName(metadata) }));
  const volumeNode = claim?.metadata.annotations?.[VOLUME_NODE_ANNOTATION];
  return seatClaim({
    agent,
    tier,
    pods: sources.pods.by(BY_OWNER, metadata.uid),
    volumeNode:
      volumeNode === undefined ? undefined : { name: volumeNode, ready: sources.nodes.get(volumeNode)?.ready === true },
  });
}

/** The claim of one agent, if it wants to run and may; undefined otherwise. */
export function claimOf(sources: SeatSources, agent: AgentView): SeatClaim | undefined {
  if (!wantsToRun(agent)) return undefined;
  const { tier, barred, boost } = sources.entitled(agent);
  return tier === undefined || barred ? undefined : claimAs(sources, agent, boostedSeat(seatTier(tier), boost));
}

/** The size of a tier that there is; what was bought makes it another than that of its Entitlement. */
function sizes(tiers: readonly TierView[]): (tier: TierView | undefined) => SeatTier | undefined {
  const known = new Map(tiers.map((tier) => [tier.metadata.name, { tier, size: seatTier(tier) }]));
  return (tier) => {
    const found = tier === undefined ? undefined : known.get(tier.metadata.name);
    return tier === undefined || found === undefined || found.tier === tier ? found?.size : seatTier(tier);
  };
}

/** Gathers the state of nodes, pods and agents into one plain value. */
export function countSeats(sources: SeatSources): Counted {
  const tiers = sources.tiers();
  const sizeOf = sizes(tiers);
  const agents = new Map<string, number>();
  const taken: Taken = new Map();
  const ending: Taken = new Map();
  const claims: SeatClaim[] = [];
  for (const agent of sources.agents.values()) {
    const { tier, barred, boost } = sources.entitled(agent);
    const sized = sizeOf(tier);
    if (sized !== undefined) agents.set(sized.name, (agents.get(sized.name) ?? 0) + 1);
    if (sized !== undefined && !barred && wantsToRun(agent))
      claims.push(claimAs(sources, agent, boostedSeat(sized, boost)));
    else keep(sources, agent, { taken, ending });
  }
  takeForeign(sources, taken);
  const nodes = [...sources.nodes.values()].map((node) => seatNode(node, { taken, ending }));
  return { input: { nodes, tiers: tiers.map(seatTier), claims, reserve: sources.reserve }, agents };
}

function takeForeign({ foreign }: SeatSources, taken: Taken): void {
  for (const cache of foreign) {
    for (const { nodeName, takes } of cache.values()) {
      if (nodeName !== undefined) take(taken, nodeName, takes);
    }
  }
}

/** Who asks for no seat, for its tier is gone or it is about to end, keeps its room for as long as its pod lives. */
function keep(
  { pods }: SeatSources,
  { metadata }: AgentView,
  { taken, ending }: { readonly taken: Taken; readonly ending: Taken },
): void {
  const own = pods.by(BY_OWNER, metadata.uid);
  for (const { node, size } of endingPods(own)) take(ending, node, size);
  const pod = holdingPod(own);
  const room = pod === undefined ? undefined : podRoom(pod);
  if (pod?.nodeName !== undefined && room !== undefined) take(taken, pod.nodeName, room);
}
