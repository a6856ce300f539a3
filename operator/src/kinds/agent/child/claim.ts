import { GROUP } from '@hamlet/contract/kinds';
import type { KubeObject, OwnerReference } from '@hamlet/kube';
import { AGENT_LABEL, AGENT_ROLE, ROLE_LABEL, type ClaimView, type Observed } from '../views.ts';

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Milliseconds since 1970 at which the deletion was asked for; NaN if it was not. */
export function deletionMs(object: KubeObject): number {
  return Date.parse(object.metadata.deletionTimestamp ?? '');
}

const isAgent = ({ apiVersion, kind }: OwnerReference): boolean =>
  kind === 'Agent' && apiVersion.startsWith(`${GROUP}/`);

/**
 * Whether a volume claim was made for an Agent of that name, in this life or an earlier one: an Agent controls it, or nobody does and it carries our
 * labels. Any other claim is somebody else's, whatever its name.
 */
export function isOurClaim({ metadata: { labels, ownerReferences } }: KubeObject, agentName: string): boolean {
  const controller = ownerReferences?.find((owner) => owner.controller === true);
  return controller === undefined
    ? labels?.[ROLE_LABEL] === AGENT_ROLE && labels[AGENT_LABEL] === agentName
    : isAgent(controller);
}

/** Why the operator leaves a claim alone, and what a person can do. */
export function claimTaken(claimName: string, agentName: string): string {
  return `the PersistentVolumeClaim ${claimName} was not made for this Agent: delete or rename it, give the Agent another name, or label the claim ${ROLE_LABEL}=${AGENT_ROLE},${AGENT_LABEL}=${agentName} to let the Agent have it`;
}

/** A claim of an earlier life of the name, which the garbage collector takes or is about to take. */
export function isForeignClaim(claim: ClaimView, { agent }: Observed): boolean {
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner !== undefined && owner.uid !== agent.metadata.uid;
}

/** Whether a pod that is made now can have the claim, or a new one in its place. */
export function isClaimUsable(claim: ClaimView | undefined, observed: Observed): boolean {
  return (
    claim === undefined ||
    (isOurClaim(claim, observed.agent.metadata.name) && !isTerminating(claim) && !isForeignClaim(claim, observed))
  );
}
