import { seatSentence } from '@hamlet/core/seats';
import { isSameSize, sizeOf } from '../child/compute.ts';
import { hasSeatOfTier, isOfOtherMaking, isResizing } from '../pod/sizing.ts';
import { podOfCycle, type Observed, type PodView, type TierView } from '../views.ts';
import type { Verdict } from './verdict.ts';

const no = (reason: Verdict['reason'], message: string): Verdict => ({ status: 'False', reason, message });

function whileResizing({ resize }: PodView, name: string): Verdict {
  const words = resize?.message === undefined || resize.message === '' ? '' : `: ${resize.message}`;
  if (resize?.reason === 'Infeasible')
    return no('ResizeRefused', `the node can never give pod ${name} the compute of its tier${words}`);
  if (resize?.reason === 'Deferred')
    return no('ResizeDeferred', `the node has no room for the larger pod ${name} now${words}`);
  return no('Resizing', `the node gives pod ${name} the compute of its tier${words}`);
}

/** The API server was not asked yet, or said no. */
function beforeResize({ resize }: Observed, name: string): Verdict {
  if (resize?.refusal === undefined) return no('Resizing', `pod ${name} is about to be resized`);
  return no('ResizeRefused', `the API server refuses to resize pod ${name}: ${resize.refusal.message}`);
}

/** What the pod asks for is not what its tier gives. */
function misfit(observed: Observed, pod: PodView, tier: TierView): Verdict | undefined {
  const { name } = pod.metadata;
  const isOther = isOfOtherMaking(pod, tier);
  if (!isOther && pod.size !== undefined && isSameSize(pod.size, sizeOf(tier))) return undefined;
  if (!hasSeatOfTier(observed))
    return no(observed.seat.reason ?? 'SeatPending', `pod ${name} stays as it is: ${seatSentence(observed.seat)}`);
  return isOther
    ? no('ReplacementPending', `pod ${name} is made anew with the GPU and the priority of tier ${tier.metadata.name}`)
    : beforeResize(observed, name);
}

/** `Resized`: whether the pod has the compute of its tier, and what keeps it from it. */
export function resizedVerdict(observed: Observed, tier: TierView | undefined): Verdict {
  const pod = podOfCycle(observed, observed.agent.status.cycle ?? 0);
  if (pod?.size === undefined || tier === undefined)
    return { status: 'True', reason: 'AsEntitled', message: 'no pod lacks anything of its tier' };
  const { name } = pod.metadata;
  const lacking = misfit(observed, pod, tier) ?? (isResizing(pod) ? whileResizing(pod, name) : undefined);
  if (lacking !== undefined) return lacking;
  const { cpu, memory } = tier.spec.compute.resources;
  return {
    status: 'True',
    reason: 'AsEntitled',
    message: `pod ${name} has the compute of tier ${tier.metadata.name}: cpu ${cpu}, memory ${memory}`,
  };
}
