import { isSameSize, sizeOf } from '../child/compute.ts';
import { isOfOtherMaking, isResizing } from '../pod/sizing.ts';
import { podOfCycle, type Observed, type PodView, type TierView } from '../views.ts';
import type { Verdict } from './verdict.ts';

const no = (reason: Verdict['reason'], message: string): Verdict => ({ status: 'False', reason, message });

function whileResizing({ resize }: PodView, name: string): Verdict {
  const words = resize?.message === undefined || resize.message === '' ? '' : `: ${resize.message}`;
  if (resize?.reason === 'Infeasible') return no('ResizeRefused', `the node can never give pod ${name} the compute of its tier${words}`);
  if (resize?.reason === 'Deferred') return no('ResizeDeferred', `the node has no room for the larger pod ${name} now${words}`);
  return no('Resizing', `the node gives pod ${name} the compute of its tier${words}`);
}

/** `Resized`: whether the pod has the compute of its tier, and what keeps it from it. */
export function resizedVerdict(observed: Observed, tier: TierView | undefined): Verdict {
  const pod = podOfCycle(observed, observed.agent.status.cycle ?? 0);
  if (pod?.size === undefined || tier === undefined) return { status: 'True', reason: 'AsEntitled', message: 'no pod lacks anything of its tier' };
  const { name } = pod.metadata;
  if (isOfOtherMaking(pod, tier)) return no('ReplacementPending', `pod ${name} is made anew with the GPU and the priority of tier ${tier.metadata.name}`);
  if (!isSameSize(pod.size, sizeOf(tier))) {
    const { refusal } = observed.resize ?? {};
    return refusal === undefined ? no('Resizing', `pod ${name} is about to be resized`) : no('ResizeRefused', `the API server refuses to resize pod ${name}: ${refusal.message}`);
  }
  if (isResizing(pod)) return whileResizing(pod, name);
  const { cpu, memory } = tier.spec.compute.resources;
  return { status: 'True', reason: 'AsEntitled', message: `pod ${name} has the compute of tier ${tier.metadata.name}: cpu ${cpu}, memory ${memory}` };
}
