import { GROUP } from '@hamlet/contract/kinds';
import type { KubeObject, NewObject, OwnerReference } from '@hamlet/kube';
import type { CachedAgent, OperatedSpec, VolumeClaimView } from '../../objects/cached-objects.ts';
import { isTerminating } from '../../objects/cached-objects.ts';
import { AGENT_LABEL, AGENT_ROLE, claimName, ROLE_LABEL } from '../../objects/names.ts';
import type { Settings } from './facts.ts';
import { childMetadata, ownerOf } from './pod-manifest.ts';

/** The volume claim of an Agent. With `memory.retain: Retain` it has no owner, so that it outlives the Agent. */
export function claimManifest(agent: CachedAgent, spec: OperatedSpec, settings: Settings): NewObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...childMetadata(agent, claimName(agent.metadata)),
      ...(spec.memory.retain === 'Delete' ? { ownerReferences: [ownerOf(agent)] } : {}),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: spec.memory.size } },
      ...(settings.storageClass === undefined ? {} : { storageClassName: settings.storageClass }),
    },
  } as NewObject;
}

const isAgent = ({ apiVersion, kind }: OwnerReference): boolean =>
  kind === 'Agent' && apiVersion.startsWith(`${GROUP}/`);

/**
 * True if an Agent controls the claim, or if the claim has no controller but the labels of a current or former Agent of that
 * name. Any other claim belongs to another owner.
 */
export function isOurClaim({ metadata: { labels, ownerReferences } }: KubeObject, agentName: string): boolean {
  const controller = ownerReferences?.find((owner) => owner.controller === true);
  return controller === undefined
    ? labels?.[ROLE_LABEL] === AGENT_ROLE && labels[AGENT_LABEL] === agentName
    : isAgent(controller);
}

export function claimTaken(claim: string, agentName: string): string {
  return `the PersistentVolumeClaim ${claim} was not created for this Agent: delete or rename it, give the Agent another name, or label the claim ${ROLE_LABEL}=${AGENT_ROLE},${AGENT_LABEL}=${agentName} to let the Agent use it`;
}

/** True if another owner controls the claim, such as an earlier Agent of the name, whose deletion deletes the claim. */
export function isForeignClaim(claim: VolumeClaimView, agent: CachedAgent): boolean {
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner !== undefined && owner.uid !== agent.metadata.uid;
}

/** True if a new pod can use the claim, or if there is no claim yet, because the operator creates one. */
export function isClaimUsable(claim: VolumeClaimView | undefined, agent: CachedAgent): boolean {
  return (
    claim === undefined ||
    (isOurClaim(claim, agent.metadata.name) && !isTerminating(claim) && !isForeignClaim(claim, agent))
  );
}
