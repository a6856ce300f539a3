import type { TodoItems } from '@hamlet/contract/resident';

type Items = TodoItems;

/** The answer to a new list, in one line. Pure. */
export function todoNoted(items: Items): string {
  const done = items.filter(({ status }) => status === 'done').length;
  const next = items.find(({ status }) => status === 'in_progress') ?? items.find(({ status }) => status === 'pending');
  return `${done} of ${items.length} done${next === undefined ? '.' : `; now: ${next.text}`}`;
}

const MARKS: Readonly<Record<Items[number]['status'], string>> = { pending: ' ', in_progress: '~', done: 'x' };

/** The list as the model reads it after a summary has replaced its call. Pure. */
export const todoInWords = (items: Items): string =>
  ['Your list (todo):', ...items.map(({ text, status }) => `[${MARKS[status]}] ${text}`)].join('\n');
