/**
 * A model for tests that works through the steps of a task. It stops and answers with the last result if a step went
 * wrong.
 */
import type { ScriptedAnswer, WireServer } from '@hamlet/models/testing';
import { startChatServer, STAY, type Chat } from '../minds/chat-server.ts';

/** One answer of the model: words, and a call of a tool except in the last one. */
export interface Step {
  /** Pattern that the last result must match; it is empty before the first call. */
  readonly after: RegExp;
  readonly says: string;
  /** Called with the results so far. */
  readonly calls?: (results: readonly string[]) => readonly [tool: string, input: object];
  /** Part of the last result that ends the answer, if there is no call. */
  readonly ends?: (result: string) => string;
}

/** The steps of each task, by the words of a person that ask for it. */
export type Tasks = Readonly<Record<string, readonly Step[]>>;

function nextOf(steps: readonly Step[], results: readonly string[]): ScriptedAnswer {
  const step = steps[results.length];
  const last = results.at(-1) ?? '';
  if (step?.after.test(last) !== true) return { text: [`I stopped, because the last step went wrong: ${last}`] };
  if (step.calls === undefined) return { text: [step.says, step.ends?.(last) ?? ''] };
  const [name, input] = step.calls(results);
  return {
    ...(step.says === '' ? {} : { text: [step.says] }),
    calls: [{ id: `step-${results.length}`, name, pieces: [JSON.stringify(input)] }],
  };
}

function answerOf({ messages, tools = [], response_format: format }: Chat, tasks: Tasks): ScriptedAnswer {
  if (format?.type === 'json_schema') return STAY;
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[last]?.content ?? '';
  const results = messages.slice(last).filter(({ role }) => role === 'tool');
  const [, steps] = Object.entries(tasks).find(([words]) => asked.includes(words)) ?? [];
  if (steps === undefined || tools.length === 0) return { text: ['Good day.'] };
  return nextOf(
    steps,
    results.map(({ content }) => content ?? ''),
  );
}

export const startSteppedMind = (model: string, tasks: Tasks): Promise<WireServer> =>
  startChatServer((chat) => answerOf(chat, tasks), model);
