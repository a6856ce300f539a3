import type { Reflector } from '@hamlet/kube';
import type { CachedAgent, NodeView, TierView, VolumeClaimView, VolumeView } from './cached-objects.ts';
import { VOLUME_NODE_ANNOTATION } from './names.ts';
import type { PodView } from './pod-view.ts';
import type { ServiceView } from './service-hosts.ts';

export interface Watched {
  readonly agents: Reflector<CachedAgent>;
  readonly pods: Reflector<PodView>;
  readonly claims: Reflector<VolumeClaimView>;
  readonly volumes: Reflector<VolumeView>;
  readonly tiers: Reflector<TierView>;
  readonly nodes: Reflector<NodeView>;
  readonly services: Reflector<ServiceView>;
}

export const BY_OWNER = 'owner';
export const BY_NODE = 'node';
export const BY_CLAIM = 'claim';
export const NO_NODE = '';

export const POD_INDEXERS = {
  [BY_OWNER]: (pod: PodView): readonly string[] =>
    pod.metadata.ownerReferences?.flatMap(({ controller, uid }) => (controller === true ? [uid] : [])) ?? [],
  [BY_NODE]: (pod: PodView): readonly string[] => [pod.nodeName ?? NO_NODE],
};

export const CLAIM_INDEXERS = {
  [BY_NODE]: ({ metadata }: VolumeClaimView): readonly string[] =>
    [metadata.annotations?.[VOLUME_NODE_ANNOTATION] ?? []].flat(),
};

export const VOLUME_INDEXERS = {
  [BY_CLAIM]: ({ claimUid }: VolumeView): readonly string[] => [claimUid ?? []].flat(),
};
