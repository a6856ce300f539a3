import { keyOf, type ObjectCache } from '@hamlet/kube';
import { podName, claimName, type AgentView, type ClaimView, type NodeState, type NodeView, type Observed, type PodView, type Presence, type Settings, type Standing, type TierView, type Upgrade } from './views.ts';

/** Where the scheduler writes the node of a volume that it places with its first pod. */
const VOLUME_NODE_ANNOTATION = 'volume.kubernetes.io/selected-node';
/** Index of pods by the uid of the Agent that owns them. */
export const BY_OWNER = 'owner';

/** What the village knows of agents beyond the cluster. */
export interface VillageFacts {
  readonly reachable: boolean;
  standingOf(agentId: string): Standing | undefined;
  presenceOf(agentId: string): Presence | undefined;
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
  readonly hasTurn: (key: string) => boolean;
  readonly refusals: ReadonlyMap<string, string>;
  readonly settings: Settings;
}

function nodeState(nodes: ObjectCache<NodeView>, name: string | undefined): NodeState | undefined {
  return name === undefined ? undefined : { name, ready: nodes.get(name)?.ready === true };
}

/** Nobody asks for a turn who does not need one. */
function upgradeOf(sources: Sources, key: string, pod: PodView | undefined): Upgrade {
  if (pod?.image === undefined || pod.image === sources.settings.image) return 'none';
  return sources.hasTurn(key) ? 'now' : 'waits';
}

/** Gathers one plain value about one Agent; undefined if there is no such Agent. */
export function observe(sources: Sources, key: string): Observed | undefined {
  const agent = sources.agents.get(key);
  if (agent === undefined) return undefined;
  const { metadata } = agent;
  const { namespace } = metadata;
  const pods = sources.pods.by(BY_OWNER, metadata.uid);
  const named = sources.pods.get(keyOf({ namespace, name: podName(metadata, agent.status.cycle ?? 0) }));
  const claim = sources.claims.get(keyOf({ namespace, name: claimName(metadata) }));
  return {
    agent,
    pods,
    nameTaken: named !== undefined && !pods.includes(named),
    claim,
    tiers: sources.tiers(),
    node: nodeState(sources.nodes, pods.find((pod) => pod === named)?.nodeName),
    volumeNode: nodeState(sources.nodes, claim?.metadata.annotations?.[VOLUME_NODE_ANNOTATION]),
    standing: sources.village.standingOf(metadata.name),
    presence: sources.village.presenceOf(metadata.name),
    upgrade: upgradeOf(sources, key, pods.find((pod) => pod === named)),
    apiReachable: sources.village.reachable,
    refusal: sources.refusals.get(key),
    settings: sources.settings,
  };
}
