import type { AwayGroup, AwayKind, Need, NeedKind } from '@hamlet/contract';

/** Singular and plural. */
type Words = readonly [one: string, more: string];

const NEEDS: Readonly<Record<NeedKind, Words>> = {
  permission: ['request', 'requests'],
  question: ['question', 'questions'],
  result: ['result', 'results'],
  parked: ['task that waits for its model', 'tasks that wait for their model'],
  stopped: ['stopped task', 'stopped tasks'],
  budget: ['task near its limits', 'tasks near their limits'],
  hour: ['agent near the limit of its hour', 'agents near the limit of their hour'],
  blocked: ['agent that cannot run', 'agents that cannot run'],
  failing: ['agent with failed tasks', 'agents with failed tasks'],
  moderation: ['flagged text', 'flagged texts'],
  difference: ['payment that differs', 'payments that differ'],
  credit: ['proposed credit', 'proposed credits'],
  mail: ['server that takes no notices', 'servers that take no notices'],
};

const CHANGES: Readonly<Record<AwayKind, Words>> = {
  answers: ['answer', 'answers'],
  replies: ['reply', 'replies'],
  results: ['finished task', 'finished tasks'],
  failures: ['failed task', 'failed tasks'],
  schedules: ['skipped run', 'skipped runs'],
  money: ['change of money', 'changes of money'],
  restrictions: ['restriction', 'restrictions'],
  posts: ['unread post', 'unread posts'],
  members: ['new member', 'new members'],
};

const counted = (count: number, [one, more]: Words): string => `${count} ${count === 1 ? one : more}`;

interface News {
  readonly needs: readonly Need[];
  readonly groups: readonly AwayGroup[];
}

/** How many things of which kinds wait for a person, or have changed; no text of people or agents. Pure. */
export function pushWords({ needs, groups }: News): string {
  const counts = Map.groupBy(needs, ({ kind }) => kind);
  const waiting = [...counts].map(([kind, { length }]) => counted(length, NEEDS[kind]));
  const changed = groups.map(({ kind, count, more }) => counted(count, CHANGES[kind]) + (more ? ' or more' : ''));
  return [...waiting, ...changed].join(', ');
}
