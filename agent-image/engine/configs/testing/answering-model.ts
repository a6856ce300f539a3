import type { ModelPort, ModelRequest } from '@hamlet/engine/workflow';

const USAGE = { prompt: 10, completion: 5, total: 15 };

/** Words, or calls of tools as pairs of name and arguments, or the code of a failure that a retry does not end. */
export type Reply = string | readonly (readonly [tool: string, input: object])[] | Readonly<{ fails: string }>;

/** The first words of an agent's instructions, by which a model of a test knows who asks. */
export const instructionsOf = ({ system }: ModelRequest): string => system.stable;

export const wordsOf = ({ messages }: ModelRequest): string => messages.at(-1)?.content ?? '';

export const answeringModel = (replyTo: (request: ModelRequest) => Reply): ModelPort => ({
  chat: async function* (request) {
    const reply = replyTo(request);
    if (typeof reply === 'object' && 'fails' in reply) {
      yield { type: 'failed', code: reply.fails, retryable: false, retryAfterMs: null, usage: USAGE, moneyMicros: 0 };
      return;
    }
    const toolCalls =
      typeof reply === 'string'
        ? []
        : reply.map(([name, input], index) => ({ id: `call_${index}`, name, arguments: JSON.stringify(input) }));
    yield {
      type: 'answer',
      content: typeof reply === 'string' ? reply : '',
      toolCalls,
      finish: toolCalls.length > 0 ? 'tool_calls' : 'stop',
      reasoning: [],
      usage: USAGE,
      moneyMicros: 0,
    };
  },
});
