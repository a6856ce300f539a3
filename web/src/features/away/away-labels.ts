import type { AwayGroup, AwayKind, CallData, getAway } from '@hamlet/contract';
import type { IconName } from '../../ui/icon-paths.ts';

/** A person who looked less than this long ago was not away. */
const AWAY_MS = 30 * 60_000;

/** True if a person comes back to changes. Pure. */
export function isBack({ since, until, groups }: CallData<typeof getAway>): boolean {
  return since !== null && groups.length > 0 && Date.parse(until) - Date.parse(since) >= AWAY_MS;
}

const WORDS: Readonly<Record<AwayKind, { readonly icon: IconName; readonly one: string; readonly many: string }>> = {
  answers: { icon: 'speech', one: 'answer for you', many: 'answers for you' },
  replies: { icon: 'board', one: 'reply to your posts', many: 'replies to your posts' },
  results: { icon: 'check', one: 'finished run', many: 'finished runs' },
  failures: { icon: 'alert', one: 'failed run', many: 'failed runs' },
  schedules: { icon: 'calendar', one: 'scheduled run that did not start', many: 'scheduled runs that did not start' },
  money: { icon: 'coin', one: 'reward, penalty or purchase', many: 'rewards, penalties and purchases' },
  restrictions: { icon: 'shield', one: 'restriction of an agent', many: 'restrictions of agents' },
  posts: { icon: 'board', one: 'new text on the board', many: 'new texts on the board' },
  members: { icon: 'users', one: 'new member', many: 'new members' },
};

/** The title of a group: `3 answers for you`, `100+ finished runs`. Pure. */
export function groupTitle({ kind, count, more }: Pick<AwayGroup, 'kind' | 'count' | 'more'>): string {
  const { one, many } = WORDS[kind];
  return count === 1 ? `1 ${one}` : `${count}${more ? '+' : ''} ${many}`;
}

export const groupIcon = (kind: AwayKind): IconName => WORDS[kind].icon;
