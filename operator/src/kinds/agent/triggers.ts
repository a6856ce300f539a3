import { keyOf, type Change, type Reflector, type Urgency } from '@hamlet/kube';
import { isUnschedulableByVolume } from './condition/pod-verdict.ts';
import { BY_OWNER, VOLUME_NODE_ANNOTATION } from './observe.ts';
import { isResizing } from './pod/sizing.ts';
import {
  AGENT_LABEL,
  SEAT_ANNOTATION,
  type AgentView,
  type ClaimView,
  type NodeView,
  type PodView,
  type TierView,
} from './views.ts';

/** Index of pods, and of claims, by node. */
export const BY_NODE = 'node';

/** Where that index files pods that have none. */
const NO_NODE = '';

/** Indexers of the pods' cache. */
export const POD_INDEXERS = {
  [BY_OWNER]: (pod: PodView): readonly string[] =>
    pod.metadata.ownerReferences?.flatMap(({ controller, uid }) => (controller === true ? [uid] : [])) ?? [],
  [BY_NODE]: (pod: PodView): readonly string[] => [pod.nodeName ?? NO_NODE],
};

/** Indexers of the claims' cache: those whose volume is on a node. */
export const CLAIM_INDEXERS = {
  [BY_NODE]: ({ metadata }: ClaimView): readonly string[] =>
    [metadata.annotations?.[VOLUME_NODE_ANNOTATION] ?? []].flat(),
};

/** What is watched. */
export interface Watched {
  readonly agents: Reflector<AgentView>;
  readonly pods: Reflector<PodView>;
  readonly claims: Reflector<ClaimView>;
  readonly tiers: Reflector<TierView>;
  readonly nodes: Reflector<NodeView>;
}

/** What of it triggers read. */
type Caches = { readonly [Kind in keyof Watched]: Pick<Watched[Kind], 'cache' | 'state'> };

function agentKey({ metadata }: PodView | ClaimView): string | undefined {
  const name = metadata.labels?.[AGENT_LABEL];
  return name === undefined ? undefined : keyOf({ namespace: metadata.namespace, name });
}

const isOver = ({ phase }: PodView): boolean => phase === 'Failed' || phase === 'Succeeded';

/** Of a pod, what a plan asks for. */
const planned = (pod: PodView): readonly unknown[] => [
  pod.metadata.uid,
  pod.metadata.deletionTimestamp,
  isOver(pod),
  pod.metadata.annotations?.[SEAT_ANNOTATION] !== undefined && pod.scheduled?.status === 'False',
  isUnschedulableByVolume(pod, undefined),
  pod.size?.cpuMillis,
  pod.size?.memoryBytes,
  isResizing(pod) ? (pod.resize?.reason ?? 'Resizing') : undefined,
];

/** Of a pod, what the status tells beside. */
const told = ({ nodeName, phase, scheduled, container, resize, message }: PodView): readonly unknown[] => [
  nodeName,
  phase,
  scheduled,
  container,
  resize,
  message,
];

const differs = (
  read: (pod: PodView) => readonly unknown[],
  { object, previous }: { readonly object: PodView; readonly previous: PodView },
): boolean => JSON.stringify(read(object)) !== JSON.stringify(read(previous));

/** What a change of a pod can change: what is to be done, only what is told, or nothing. */
export function effectOf(change: Change<PodView>): 'plan' | 'status' | 'none' {
  if (change.kind !== 'updated' || differs(planned, change)) return 'plan';
  return differs(told, change) ? 'status' : 'none';
}

/** What a change of a claim can change: what is to be done, only what is told, or nothing. Binding writes annotations of its own, of which only the node tells anything. */
export function effectOfClaim(change: Change<ClaimView>): 'plan' | 'status' | 'none' {
  if (change.kind === 'added') return 'none';
  if (change.kind === 'deleted') return 'plan';
  const planned = ({ metadata }: ClaimView): string =>
    JSON.stringify([metadata.uid, metadata.deletionTimestamp, metadata.ownerReferences]);
  if (planned(change.object) !== planned(change.previous)) return 'plan';
  const node = ({ metadata }: ClaimView): string | undefined => metadata.annotations?.[VOLUME_NODE_ANNOTATION];
  return node(change.object) === node(change.previous) ? 'none' : 'status';
}

/** Where changes go. */
export interface Destinations {
  /** To be worked on. */
  readonly add: (key: string, urgency?: Urgency) => void;
  /** Nothing to do but perhaps to tell. */
  readonly touch: (key: string) => void;
}

function send(
  { add, touch }: Destinations,
  key: string | undefined,
  { effect, urgency }: { readonly effect: 'plan' | 'status' | 'none'; readonly urgency: Urgency },
): void {
  if (key === undefined || effect === 'none') return;
  if (effect === 'plan') add(key, urgency);
  else touch(key);
}

function connectPods({ pods }: Caches, destinations: Destinations): void {
  pods.cache.onChange((change) => {
    send(destinations, agentKey(change.object), {
      effect: effectOf(change),
      urgency: pods.state.synced ? 'live' : 'bulk',
    });
  });
}

const isSameToAgents = (change: Change<NodeView>): boolean =>
  change.kind === 'updated' &&
  change.object.ready === change.previous.ready &&
  change.object.cordoned === change.previous.cordoned;

const keysOf = (children: readonly (PodView | ClaimView)[]): readonly string[] =>
  children.flatMap((child) => agentKey(child) ?? []);

/** A node concerns who is on it, whose volume is on it, and who is pinned to it; not all who wait: with many nodes that would be everybody, over and over. */
function connectNodes({ agents, pods, claims, nodes }: Caches, { add, touch }: Destinations): void {
  nodes.cache.onChange((change) => {
    if (isSameToAgents(change)) return;
    const { name } = change.object.metadata;
    for (const key of keysOf([...pods.cache.by(BY_NODE, name), ...claims.cache.by(BY_NODE, name)])) add(key);
    for (const pod of pods.cache.by(BY_NODE, NO_NODE)) {
      const [key] = keysOf([pod]);
      if (key === undefined) continue;
      if (pod.metadata.annotations?.[SEAT_ANNOTATION] === name) add(key);
      else if (agents.cache.get(key)?.spec?.placement.nodeName === name) touch(key);
    }
  });
}

/** Sends each change that is watched to the Agents that it can concern. */
export function connectTriggers(watched: Caches, destinations: Destinations): void {
  const { agents, claims, tiers } = watched;
  const { add } = destinations;
  agents.cache.onChange(({ key }) => add(key, agents.state.synced ? 'live' : 'bulk'));
  connectPods(watched, destinations);
  connectNodes(watched, destinations);
  claims.cache.onChange((change) =>
    send(destinations, agentKey(change.object), { effect: effectOfClaim(change), urgency: 'live' }),
  );
  tiers.cache.onChange((change) => {
    if (change.kind === 'updated' && change.object.metadata.generation === change.previous.metadata.generation) return;
    for (const key of agents.cache.keys()) add(key, 'bulk');
  });
}
