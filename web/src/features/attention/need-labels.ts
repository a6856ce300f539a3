import { acceptOffer, createRun, type Need, type NeedKind, raiseRun } from '@hamlet/contract';
import { placeOf, type Place, readUrl } from '../../client/url-state.ts';
import type { IconName } from '../../ui/icon-paths.ts';
import type { Intent } from '../../client/query/use-live.ts';

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
};

export const isListed = (need: Need): need is Need & { readonly kind: ListedKind } =>
  need.kind !== 'permission' && need.kind !== 'question';

const CONTINUED = 'Continue this task.';

/** Calls the route of a remedy. Resolves to true if the API accepted it. */
export async function carryOut(need: Need, call: Intent['call']): Promise<boolean> {
  const { id, agent_id: agentId, remedy } = need;
  switch (remedy?.route) {
    case 'acceptOffer':
      return (await call(acceptOffer, { params: { run_id: id } }, id)) !== null;
    case 'raiseRun':
      return (await call(raiseRun, { params: { run_id: id }, body: { budgets: 'refill' } }, id)) !== null;
    case 'createRun': {
      const body = { prompt: CONTINUED, continues: id };
      return agentId !== null && (await call(createRun, { params: { agent_id: agentId }, body }, id)) !== null;
    }
    default:
      return false;
  }
}

/** The page of a link such as `/?view=runs&run=…`, and the agent beside it. */
export function linkedPlace(link: string): { readonly place: Place; readonly agent: string | null } {
  const state = readUrl(link.slice(link.indexOf('?')));
  return { place: placeOf(state), agent: state.agent };
}
