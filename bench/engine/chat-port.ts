import type { Message, ModelDelta, ModelEnd, ModelPort, ModelRequest } from '@hamlet/engine';
import type { ChatDelta, ChatMessage, ChatRequest, JsonSchema, Model, ToolCall } from '@hamlet/models';
import { z } from 'zod';

type Tool = ModelRequest['tools'][number];

/** JSON Schemas of tools, made once for each tool. */
const schemas = new WeakMap<z.ZodType, JsonSchema>();

function schemaOf({ input }: Tool): JsonSchema {
  const schema = schemas.get(input) ?? z.toJSONSchema(input);
  schemas.set(input, schema);
  return schema;
}

const messageOf = (message: Message): ChatMessage =>
  message.role === 'tool' ? { role: 'tool', toolCallId: message.callId, content: message.content } : message;

const requestOf = ({ system, messages, tools }: ModelRequest, signal: AbortSignal): ChatRequest => ({
  messages: [
    { role: 'system', content: `${system.stable}\n\n${system.situation}`.trim(), cacheable: true },
    ...messages.map(messageOf),
  ],
  tools: tools.map((tool) => ({ name: tool.name, description: tool.description, parameters: schemaOf(tool) })),
  signal,
});

/** The parts of an answer so far. Mutable, because it collects them. */
class Answer {
  content = '';
  readonly #calls: { id: string; name: string; arguments: string }[] = [];

  take(delta: Extract<ChatDelta, { kind: 'text' | 'tool' }>): void {
    if (delta.kind === 'text') {
      this.content += delta.text;
      return;
    }
    const call = (this.#calls[delta.slot] ??= { id: '', name: '', arguments: '' });
    call.id += delta.id ?? '';
    call.name += delta.name ?? '';
    call.arguments += delta.arguments ?? '';
  }

  get calls(): ToolCall[] {
    return this.#calls;
  }
}

type Ended = Extract<ChatDelta, { kind: 'end' | 'failed' }>;

function endOf(delta: Ended, { content, calls }: Answer): ModelEnd {
  const { promptTokens: prompt, completionTokens: completion, totalTokens: total } = delta.usage;
  const spent = { usage: { prompt, completion, total }, moneyMicros: 0 };
  return delta.kind === 'end'
    ? { type: 'answer', content, toolCalls: calls, finish: delta.finish, reasoning: [], ...spent }
    : { type: 'failed', code: delta.error.code, retryable: false, retryAfterMs: null, ...spent };
}

/** The engine's port over a model of `@hamlet/models`. */
export function chatPort(open: (name: string) => Model): ModelPort {
  return {
    async *chat(request, signal): AsyncGenerator<ModelDelta | ModelEnd> {
      const answer = new Answer();
      for await (const delta of open(request.model).stream(requestOf(request, signal))) {
        if (delta.kind === 'text' || delta.kind === 'tool') answer.take(delta);
        if (delta.kind === 'text') yield { type: 'delta', text: delta.text };
        if (delta.kind === 'end' || delta.kind === 'failed') yield endOf(delta, answer);
      }
    },
  };
}
