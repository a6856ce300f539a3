import { OPENAI_WIRE, startWireServer, type WireAnswer, type WireServer } from '@hamlet/models/testing';
import { personsWords } from '@hamlet/test/env/minds/persons-words';

interface Body {
  readonly messages: readonly { readonly role: string; readonly content?: string | null }[];
  readonly tools?: readonly object[];
}

/** A request for an answer in a run. */
export interface Asked {
  readonly messages: Body['messages'];
  /** The newest message of a person. */
  readonly asked: string;
  /** The results of all calls of tools. */
  readonly results: readonly string[];
  readonly isAfterCall: boolean;
  readonly system: string;
}

export const said = (text: string): WireAnswer => OPENAI_WIRE.stream({ text: [text] });

export const called = (...calls: readonly (readonly [name: string, input: object])[]): WireAnswer =>
  OPENAI_WIRE.stream({
    text: [],
    calls: calls.map(([name, input], at) => ({ id: `call-${name}-${at}`, name, pieces: [JSON.stringify(input)] })),
  });

/** An endless answer: the client disconnects. */
export function unending(): WireAnswer {
  const { chunks, ...answer } = OPENAI_WIRE.stream({ text: ['Once ', 'upon '] });
  return { ...answer, chunks: [...chunks.slice(0, 2), { drip: ': still writing\n\n', everyMs: 20 }] };
}

/** A model that greets, but answers requests with tools, which come from runs, by `answer`. */
export function startMind(answer: (asked: Asked) => WireAnswer): Promise<WireServer> {
  return startWireServer([], {
    otherwise: ({ method, body }) => {
      if (method === 'GET')
        return { chunks: [JSON.stringify({ object: 'list', data: [{ id: 'up-model', object: 'model' }] })] };
      const { messages, tools = [] } = body as Body;
      if (tools.length === 0) return said('Good day.');
      const contentOf = (message: Body['messages'][number] | undefined): string => message?.content ?? '';
      return answer({
        messages,
        asked: personsWords(contentOf(messages.findLast(({ role }) => role === 'user'))),
        results: messages.filter(({ role }) => role === 'tool').map(contentOf),
        isAfterCall: messages.at(-1)?.role === 'tool',
        system: contentOf(messages.find(({ role }) => role === 'system')),
      });
    },
  });
}

/** The message with which a person asks for a call of a tool. */
export const askFor = (tool: string, input: object): string => `Call ${tool}: ${JSON.stringify(input)}`;

/**
 * A model that makes the calls that its newest message asks for (`askFor`, one per line) one by one, and answers with
 * all results. `systems` collects the system prompts of requests with tools.
 */
export function startCallMind(systems: string[] = []): Promise<WireServer> {
  return startMind(({ asked, system, messages }) => {
    systems.push(system);
    const calls = [...asked.matchAll(/^(?:\w+: )?Call (\w+): (.*)$/gm)];
    if (calls.length === 0) return said('Good day.');
    const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
    const results = since.filter(({ role }) => role === 'tool').map(({ content }) => content ?? '');
    const [, name, pieces] = calls[results.length] ?? [];
    if (name === undefined || pieces === undefined) return said(`The results: ${results.join('\n')}`);
    return OPENAI_WIRE.stream({ text: ['Next.'], calls: [{ id: `call-${results.length}`, name, pieces: [pieces] }] });
  });
}
