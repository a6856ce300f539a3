import type { Need, NeedKind } from '@hamlet/contract';
import type { IconName } from '../../ui/icon-paths.ts';

/** Requests and questions have cards of their own. */
export type ListedKind = Exclude<NeedKind, 'permission' | 'question'>;

/** The icon of a need, and the words for its page. */
export const NEED_LABELS: Readonly<Record<ListedKind, { readonly icon: IconName; readonly word: string }>> = {
  result: { icon: 'coin', word: 'Look at the result' },
  parked: { icon: 'clock', word: 'See what helps' },
  stopped: { icon: 'stop', word: 'Open the run' },
  budget: { icon: 'clock', word: 'Open the run' },
  hour: { icon: 'clock', word: 'Add tokens' },
  blocked: { icon: 'alert', word: 'Open the agent' },
  failing: { icon: 'alert', word: 'See its failed runs' },
  moderation: { icon: 'flag', word: 'Decide' },
  difference: { icon: 'coin', word: 'Compare' },
  credit: { icon: 'coin', word: 'Decide' },
  mail: { icon: 'alert', word: 'See the settings' },
};

export const isListed = (need: Need): need is Need & { readonly kind: ListedKind } =>
  need.kind !== 'permission' && need.kind !== 'question';
