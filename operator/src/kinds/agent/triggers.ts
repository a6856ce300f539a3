import { keyOf, type Change, type Urgency } from '@hamlet/kube';
import type { NodeView, VolumeClaimView } from '../../objects/cached-objects.ts';
import { AGENT_LABEL, SEAT_ANNOTATION, VOLUME_NODE_ANNOTATION } from '../../objects/names.ts';
import { isOver, isResizing, type PodView } from '../../objects/pod-view.ts';
import { BY_NODE, NO_NODE, type Watched } from '../../objects/watched.ts';
import { isUnschedulableByVolume } from './condition/pod-conditions.ts';

type Caches = { readonly [Kind in keyof Watched]: Pick<Watched[Kind], 'cache' | 'state'> };

function agentKey({ metadata }: PodView | VolumeClaimView): string | undefined {
  const name = metadata.labels?.[AGENT_LABEL];
  return name === undefined ? undefined : keyOf({ namespace: metadata.namespace, name });
}

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

const published = ({
  nodeName,
  phase,
  scheduled,
  container,
  handsContainer,
  resize,
  message,
}: PodView): readonly unknown[] => [nodeName, phase, scheduled, container, handsContainer, resize, message];

const differs = (
  read: (pod: PodView) => readonly unknown[],
  { object, previous }: { readonly object: PodView; readonly previous: PodView },
): boolean => JSON.stringify(read(object)) !== JSON.stringify(read(previous));

/** Returns whether a change of a pod can change the plan, only the status, or neither. */
export function effectOf(change: Change<PodView>): 'plan' | 'status' | 'none' {
  if (change.kind !== 'updated' || differs(planned, change)) return 'plan';
  return differs(published, change) ? 'status' : 'none';
}

/** The same for a change of a volume claim. Kubernetes writes several annotations to bind a claim; only the node's matters. */
export function effectOfClaim(change: Change<VolumeClaimView>): 'plan' | 'status' | 'none' {
  if (change.kind === 'added') return 'none';
  if (change.kind === 'deleted') return 'plan';
  const planned = ({ metadata }: VolumeClaimView): string =>
    JSON.stringify([metadata.uid, metadata.deletionTimestamp, metadata.ownerReferences]);
  if (planned(change.object) !== planned(change.previous)) return 'plan';
  const node = ({ metadata }: VolumeClaimView): string | undefined => metadata.annotations?.[VOLUME_NODE_ANNOTATION];
  return node(change.object) === node(change.previous) ? 'none' : 'status';
}

export interface Destinations {
  readonly add: (key: string, urgency?: Urgency) => void;
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

const keysOf = (children: readonly (PodView | VolumeClaimView)[]): readonly string[] =>
  children.flatMap((child) => agentKey(child) ?? []);

/**
 * Sends a node's change to agents that run on it, have their volume on it, or are bound to it. Other waiting agents are left out;
 * otherwise every change of any node would reconcile all of them.
 */
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

/** Sends each change of a cache to the Agents that the change can affect. */
export function connectTriggers(watched: Caches, destinations: Destinations): void {
  const { agents, claims, services, tiers } = watched;
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
  services.cache.onChange((change) => {
    if (change.kind === 'deleted') return;
    if (change.kind === 'updated' && change.object.address === change.previous.address) return;
    for (const key of agents.cache.keys()) add(key, 'bulk');
  });
}
