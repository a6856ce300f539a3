import type { Change, KubeObject, ObjectCache } from '@hamlet/kube';
import type { Watched } from '../agent/triggers.ts';
import type { AgentView, NodeView, PodView } from '../agent/views.ts';
import type { ForeignPodView } from './foreign-pod.ts';
import type { SeatKeeper } from './seat-keeper.ts';

/** Of each kind, what seats depend on, as one word to compare. */
const ofAgent = ({ metadata, spec, status }: AgentView): string =>
  JSON.stringify([
    metadata.uid,
    metadata.deletionTimestamp,
    spec?.power,
    spec?.entitlement,
    spec?.placement,
    status.power,
  ]);
const ofPod = ({ metadata, nodeName, phase, size }: PodView): string =>
  JSON.stringify([
    metadata.uid,
    metadata.deletionTimestamp === undefined,
    nodeName,
    phase === 'Failed' || phase === 'Succeeded',
    size,
  ]);
const ofNode = ({ ready, cordoned, taints, allocatable }: NodeView): string =>
  JSON.stringify([ready, cordoned, taints, allocatable]);
/** A pod that has no node takes nothing yet. */
const ofForeign = ({ nodeName, takes }: ForeignPodView): string =>
  nodeName === undefined ? '' : JSON.stringify([nodeName, takes]);

/** Whether a change is one of seats: what is `''` does not count. */
function isOfSeats<T>(change: Change<T>, word: (object: T) => string): boolean {
  if (change.kind !== 'updated') return word(change.object) !== '';
  return word(change.object) !== word(change.previous);
}

function touchOn<T extends KubeObject>(cache: ObjectCache<T>, word: (object: T) => string, touch: () => void): void {
  cache.onChange((change) => {
    if (isOfSeats(change, word)) touch();
  });
}

/** Has the seats counted anew after each change that they depend on. */
export function connectSeatTriggers(
  keeper: SeatKeeper,
  watched: Watched,
  foreign: readonly ObjectCache<ForeignPodView>[],
): void {
  const later = (): void => keeper.touch('later');
  const soon = (): void => keeper.touch('soon');
  touchOn(watched.agents.cache, ofAgent, later);
  touchOn(watched.pods.cache, ofPod, later);
  touchOn(watched.nodes.cache, ofNode, soon);
  for (const cache of foreign) touchOn(cache, ofForeign, later);
  // Before any agent looks at its new size, it must be known for whom there is room.
  watched.tiers.cache.onChange((change) => {
    if (change.kind !== 'updated' || change.object.metadata.generation !== change.previous.metadata.generation)
      keeper.replan();
  });
}
