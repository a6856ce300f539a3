import { keyOf, type Change, type Reflector, type Urgency } from '@hamlet/kube';
import { BY_OWNER } from './observe.ts';
import { AGENT_LABEL, type AgentView, type ClaimView, type NodeView, type PodView, type TierView } from './views.ts';

/** Index of pods by node. */
export const BY_NODE = 'node';

/** Indexers of the pods' cache. */
export const POD_INDEXERS = {
  [BY_OWNER]: (pod: PodView): readonly string[] => pod.metadata.ownerReferences?.flatMap(({ controller, uid }) => (controller === true ? [uid] : [])) ?? [],
  [BY_NODE]: (pod: PodView): readonly string[] => (pod.nodeName === undefined ? [] : [pod.nodeName]),
};

/** What is watched. */
export interface Watched {
  readonly agents: Reflector<AgentView>;
  readonly pods: Reflector<PodView>;
  readonly claims: Reflector<ClaimView>;
  readonly tiers: Reflector<TierView>;
  readonly nodes: Reflector<NodeView>;
}

type Add = (key: string, urgency?: Urgency) => void;

function agentKey({ metadata }: PodView | ClaimView): string | undefined {
  const name = metadata.labels?.[AGENT_LABEL];
  return name === undefined ? undefined : keyOf({ namespace: metadata.namespace, name });
}

const decisive = ({ metadata, nodeName, phase, scheduled, container, message }: PodView): string =>
  JSON.stringify([metadata.uid, metadata.deletionTimestamp, nodeName, phase, scheduled, container, message]);

/** Whether a change of a pod can change a plan or a condition. */
export function matters(change: Change<PodView>): boolean {
  return change.kind !== 'updated' || decisive(change.object) !== decisive(change.previous);
}

function claimMatters(change: Change<ClaimView>): boolean {
  if (change.kind !== 'updated') return change.kind === 'deleted';
  const fingerprint = ({ metadata }: ClaimView): string => JSON.stringify([metadata.uid, metadata.deletionTimestamp, metadata.annotations, metadata.ownerReferences]);
  return fingerprint(change.object) !== fingerprint(change.previous);
}

/** Adds to the queue, for each change that is watched, the Agents that it can concern. */
export function connectTriggers({ agents, pods, claims, tiers, nodes }: Watched, add: Add): void {
  const addAll = (): void => {
    for (const key of agents.cache.keys()) add(key, 'bulk');
  };
  agents.cache.onChange(({ key }) => add(key, agents.state.synced ? 'live' : 'bulk'));
  pods.cache.onChange((change) => {
    const key = agentKey(change.object);
    if (key !== undefined && matters(change)) add(key, pods.state.synced ? 'live' : 'bulk');
  });
  claims.cache.onChange((change) => {
    const key = agentKey(change.object);
    if (key !== undefined && claimMatters(change)) add(key, 'live');
  });
  tiers.cache.onChange((change) => {
    if (change.kind !== 'updated' || change.object.metadata.generation !== change.previous.metadata.generation) addAll();
  });
  nodes.cache.onChange((change) => {
    if (change.kind === 'updated' && change.object.ready === change.previous.ready) return;
    for (const pod of pods.cache.by(BY_NODE, change.object.metadata.name)) {
      const key = agentKey(pod);
      if (key !== undefined) add(key);
    }
  });
}
