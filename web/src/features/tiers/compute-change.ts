import type { EntitlementView } from '@hamlet/contract';

type Compute = EntitlementView['compute'];

/** What another compute does to a pod that runs: nothing, another size while it goes on, or another pod with the same volume. */
export type PodChange = 'none' | 'resized' | 'replaced';

/** By the operator's rule: cpu and memory change while the pod runs; a GPU, or what it gives way to, needs another pod. */
export function podChange(from: Compute, to: Compute): PodChange {
  if (JSON.stringify(gpuOf(from)) !== JSON.stringify(gpuOf(to)) || from.priority_class_name !== to.priority_class_name)
    return 'replaced';
  return from.cpu === to.cpu && from.memory === to.memory ? 'none' : 'resized';
}

/** Without a GPU it does not matter which one there might be. */
function gpuOf({ gpu }: Compute): readonly unknown[] {
  return gpu.mode === 'None' ? [gpu.mode] : [gpu.mode, gpu.resource_name, gpu.count, gpu.claim_template_name];
}

/** What becomes of the pods of some agents, as a sentence; empty where nothing does. */
export function podChangeWords(change: PodChange, pods: 'Its pod' | 'Their pods'): string {
  const [is, volume] = pods === 'Its pod' ? ['is', 'its volume'] : ['are', 'their volumes'];
  if (change === 'none') return '';
  return change === 'resized'
    ? `${pods} ${is} resized and not restarted.`
    : `${pods} ${is} replaced; ${volume} stay${pods === 'Its pod' ? 's' : ''}.`;
}
