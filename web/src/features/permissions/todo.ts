import { VILLAGE_TOOLS } from '@hamlet/contract/tools';
import type { TodoItems } from '@hamlet/contract';
import { readJson } from '../../client/json.ts';
import type { TraceItem } from '../../client/minds/trace-items.ts';

export type TodoItem = Readonly<TodoItems[number]>;

/** The newest list of work of a run; empty if its agent keeps none. */
export function todoOf(items: readonly TraceItem[]): readonly TodoItem[] {
  const calls = items.filter((item) => item.kind === 'call' && item.tool === 'todo' && item.state !== 'denied');
  for (const call of calls.toReversed()) {
    const list = call.kind === 'call' ? readTodo(call.argumentsText) : null;
    if (list !== null) return list;
  }
  return [];
}

/** The list in the arguments of a call of `todo`; null if the tool refuses them. */
export function readTodo(argumentsText: string | null): readonly TodoItem[] | null {
  const read = VILLAGE_TOOLS.todo.input.safeParse(readJson(argumentsText ?? ''));
  return read.success ? read.data.items : null;
}

/** The progress of a list in words: `2 of 4 done`. */
export function doneLabel(items: readonly TodoItem[]): string {
  return `${items.filter(({ status }) => status === 'done').length} of ${items.length} done`;
}
