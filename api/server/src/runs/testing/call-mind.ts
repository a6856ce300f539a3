import { OPENAI_WIRE, startWireServer, type WireServer } from '@hamlet/models/testing';

interface Body {
  readonly messages: readonly { readonly role: string; readonly content?: string | null }[];
  readonly tools?: readonly object[];
}

/** The message with which a person asks for a call of a tool. */
export const askFor = (tool: string, input: object): string => `Call ${tool}: ${JSON.stringify(input)}`;

/** The calls that the newest message asks for, and the results so far. */
function progressOf({ messages }: Body) {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const calls = [...(messages[asked]?.content ?? '').matchAll(/^(?:\w+: )?Call (\w+): (.*)$/gm)];
  const results = messages.slice(asked + 1).filter(({ role }) => role === 'tool');
  return { calls, results: results.map(({ content }) => content ?? '') };
}

function answerOf(body: Body) {
  const { calls, results } = progressOf(body);
  if ((body.tools ?? []).length === 0 || calls.length === 0) return OPENAI_WIRE.stream({ text: ['Good day.'] });
  const [, name, pieces] = calls[results.length] ?? [];
  if (name === undefined || pieces === undefined)
    return OPENAI_WIRE.stream({ text: [`The results: ${results.join('\n')}`] });
  return OPENAI_WIRE.stream({ text: ['Next.'], calls: [{ id: `call-${results.length}`, name, pieces: [pieces] }] });
}

/**
 * A model that makes the calls that its newest message asks for (`askFor`, one per line) one by one, and answers with
 * all results. `systems` collects the system prompts of requests with tools.
 */
export function startCallMind(systems: string[] = []): Promise<WireServer> {
  return startWireServer([], {
    otherwise: ({ method, body }) => {
      if (method === 'GET')
        return { chunks: [JSON.stringify({ object: 'list', data: [{ id: 'up-model', object: 'model' }] })] };
      const asked = body as Body;
      if ((asked.tools ?? []).length > 0)
        systems.push(asked.messages.find(({ role }) => role === 'system')?.content ?? '');
      return answerOf(asked);
    },
  });
}
