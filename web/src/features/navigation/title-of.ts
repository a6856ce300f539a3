import type { View } from '../../client/url-state.ts';
import { PAGE_WORDS } from './page-groups.ts';

/** The title of the tab for a page and the agent that is open on it: `Ada · Runs · Hamlet`, `Hamlet`. */
export function titleOf(view: View, agent: string | null): string {
  return [agent, view === 'map' ? null : PAGE_WORDS[view].word, 'Hamlet'].filter((part) => part !== null).join(' · ');
}
