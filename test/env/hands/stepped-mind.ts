/**
 * A model for tests that works through the steps of a task. Its answer depends only on the conversation, so a repeated
 * request gets the same answer. It stops and answers with the last result if a step went wrong.
 */
import { OPENAI_WIRE, startWireServer } from '@hamlet/models/testing';
import type { ScriptedAnswer, WireAnswer, WireRequest, WireServer } from '@hamlet/models/testing';

/** One answer of the model: words, and a call of a tool except in the last one. */
export interface Step {
  /** Pattern that the last result must match; it is empty before the first call. */
  readonly after: RegExp;
  readonly says: string;
  /** Given the results so far. */
  readonly calls?: (results: readonly string[]) => readonly [tool: string, input: object];
  /** Part of the last result that ends the answer, if there is no call. */
  readonly ends?: (result: string) => string;
}

/** The steps of each task, by the words of a person that ask for it. */
export type Tasks = Readonly<Record<string, readonly Step[]>>;

interface Message {
  readonly role: string;
  readonly content?: string | null;
}

interface ChatBody {
  readonly messages: readonly Message[];
  readonly stream?: boolean;
  readonly tools?: readonly object[];
  readonly response_format?: { readonly type: string };
}

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

function answerOf({ messages, tools = [], response_format: format }: ChatBody, tasks: Tasks): ScriptedAnswer {
  if (format?.type === 'json_schema')
    return {
      text: [JSON.stringify({ option: 'stay', text: null, title: null, why: 'I wait', purpose: '', plan: null })],
    };
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

/** Starts the model as a server on loopback with OpenAI's wire. */
export function startSteppedMind(model: string, tasks: Tasks): Promise<WireServer> {
  const answer = ({ method, path, body }: WireRequest): WireAnswer | null => {
    if (method === 'GET' && path === '/v1/models')
      return { chunks: [JSON.stringify({ object: 'list', data: [{ id: model, object: 'model' }] })] };
    if (path !== '/v1/chat/completions') return null;
    const chat = body as ChatBody;
    const scripted = answerOf(chat, tasks);
    return chat.stream === true ? OPENAI_WIRE.stream(scripted) : OPENAI_WIRE.plain(scripted);
  };
  return startWireServer([], { otherwise: answer });
}
