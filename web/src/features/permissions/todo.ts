import { VILLAGE_TOOLS } from '@hamlet/contract/tools';
import { PROGRAM_TOOL_PREFIX, programClaimOf, type TodoItems } from '@hamlet/contract';
import { readJson } from '@hamlet/core';
import type { CallItem, TraceItem } from '../../client/minds/trace-items.ts';

export type TodoItem = Readonly<TodoItems[number]>;

/** The newest list of work of a run; empty if its agent keeps none. */
export function todoOf(items: readonly TraceItem[]): readonly TodoItem[] {
  for (const item of items.toReversed()) {
    const list = item.kind === 'call' && item.state !== 'denied' ? readPlan(item) : null;
    if (list !== null) return list;
  }
  return [];
}

/** The list in a call of `todo`, or in the claim of a program about its plan; null for another call. */
export function readPlan({
  tool,
  argumentsText,
}: Pick<CallItem, 'tool' | 'argumentsText'>): readonly TodoItem[] | null {
  if (tool === 'todo') return readTodo(argumentsText);
  if (tool !== PLAN_TOOL) return null;
  const claim = programClaimOf({ tool, arguments_text: argumentsText });
  return claim?.plan.map(({ text, status }) => ({ text, status: status === 'completed' ? 'done' : status })) ?? null;
}

const PLAN_TOOL = `${PROGRAM_TOOL_PREFIX}plan`;

/** The list in the arguments of a call of `todo`; null if the tool refuses them. */
function readTodo(argumentsText: string | null): readonly TodoItem[] | null {
  const read = VILLAGE_TOOLS.todo.input.safeParse(readJson(argumentsText ?? ''));
  return read.success ? read.data.items : null;
}

/** The progress of a list in words: `2 of 4 done`. */
export function doneLabel(items: readonly TodoItem[]): string {
  return `${items.filter(({ status }) => status === 'done').length} of ${items.length} done`;
}
