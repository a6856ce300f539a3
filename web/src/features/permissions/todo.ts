import { TODO_STATUSES } from '@hamlet/contract';
import { isJsonObject, readJson } from '../../client/json.ts';
import type { TraceItem } from '../../client/minds/trace-items.ts';

export type TodoStatus = (typeof TODO_STATUSES)[number];
export type TodoItem = Readonly<{ text: string; status: TodoStatus }>;

/** The list of work that an agent keeps in a run: its newest call of `todo`; empty if it keeps none. */
export function todoOf(items: readonly TraceItem[]): readonly TodoItem[] {
  const calls = items.filter((item) => item.kind === 'call' && item.tool === 'todo' && item.state !== 'denied');
  for (const call of calls.toReversed()) {
    const list = call.kind === 'call' ? readTodo(call.argumentsText) : null;
    if (list !== null) return list;
  }
  return [];
}

/** The list in the arguments of a call of `todo`; null if they cannot be read. */
export function readTodo(argumentsText: string | null): readonly TodoItem[] | null {
  const read = argumentsText === null ? undefined : readJson(argumentsText);
  const items = isJsonObject(read) ? read['items'] : undefined;
  if (!Array.isArray(items)) return null;
  return items.flatMap((item: unknown): readonly TodoItem[] => {
    if (!isJsonObject(item) || typeof item['text'] !== 'string') return [];
    const status = TODO_STATUSES.find((known) => known === item['status']) ?? 'pending';
    return [{ text: item['text'], status }];
  });
}

/** The progress of a list in words: `2 of 4 done`. */
export function doneLabel(items: readonly TodoItem[]): string {
  return `${items.filter(({ status }) => status === 'done').length} of ${items.length} done`;
}
