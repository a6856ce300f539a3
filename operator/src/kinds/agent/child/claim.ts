import type { KubeObject } from '@hamlet/kube';
import type { ClaimView, Observed } from '../views.ts';

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Milliseconds since 1970 at which the deletion was asked for; NaN if it was not. */
export function deletionMs(object: KubeObject): number {
  return Date.parse(object.metadata.deletionTimestamp ?? '');
}

/** A claim of an earlier life of the name, which the garbage collector takes or is about to take. */
export function isForeignClaim(claim: ClaimView, { agent }: Observed): boolean {
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner !== undefined && owner.uid !== agent.metadata.uid;
}

/** Whether a pod that is made now can have the claim, or a new one in its place. */
export function isClaimUsable(claim: ClaimView | undefined, observed: Observed): boolean {
  return claim === undefined || (!isTerminating(claim) && !isForeignClaim(claim, observed));
}
