import { z } from 'zod';
import type { AdapterDelta } from '../../chat/chat-delta.ts';
import { ModelFault } from '../../chat/model-error.ts';
import type { ChatAdapter } from '../../chat/model.ts';
import { classifyError } from '../../transport/classify-error.ts';
import { count, parseReply } from '../../transport/parse-reply.ts';
import { bearer, bodyOf, jsonOf, type AdapterKit } from '../../transport/provider-exchange.ts';
import type { ServerAnswer } from '../../transport/server-answer.ts';
import { parseJson, textLines } from '../../transport/text-lines.ts';
import { jsonAdapter, type ModelServer } from '../json-adapter.ts';
import { ollamaBody } from './ollama-body.ts';

const Call = z.object({
  id: z.string().nullish(),
  function: z.object({ name: z.string(), arguments: z.unknown().optional() }),
});
const Line = z.object({
  error: z.string().nullish(),
  message: z
    .object({ content: z.string().nullish(), thinking: z.string().nullish(), tool_calls: z.array(Call).nullish() })
    .nullish(),
  done: z.boolean().nullish(),
  done_reason: z.string().nullish(),
  prompt_eval_count: count,
  eval_count: count,
});
type Line = z.infer<typeof Line>;

function* messageDeltas({ message }: Line, firstSlot: number): Generator<AdapterDelta> {
  if (message?.thinking) yield { kind: 'reasoning', text: message.thinking };
  if (message?.content) yield { kind: 'text', text: message.content };
  for (const [position, { id, function: called }] of (message?.tool_calls ?? []).entries())
    yield {
      kind: 'tool',
      slot: firstSlot + position,
      id: id ?? '',
      name: called.name,
      arguments: JSON.stringify(called.arguments ?? {}),
    };
}

function* endDeltas(line: Line, raw: unknown): Generator<AdapterDelta> {
  // Ollama loaded or unloaded the model without answering.
  if (line.done_reason === 'load' || line.done_reason === 'unload')
    throw new ModelFault('overloaded', `Ollama answered while the model was ${line.done_reason}ing`);
  yield {
    kind: 'usage',
    usage: { promptTokens: line.prompt_eval_count ?? undefined, completionTokens: line.eval_count ?? undefined },
  };
  yield { kind: 'end', finish: line.done_reason === 'length' ? 'length' : 'stop', raw };
}

/** The pieces of an answer, from its lines. Calls arrive whole, in one line or in several. */
async function* readLines(values: AsyncIterable<unknown>, nowMs: () => number): AsyncGenerator<AdapterDelta> {
  let slots = 0;
  for await (const value of values) {
    const line = parseReply(Line, value);
    if (line.error) throw classifyError({ body: value }, nowMs());
    yield* messageDeltas(line, slots);
    slots += line.message?.tool_calls?.length ?? 0;
    if (line.done !== true) continue;
    yield* endDeltas(line, value);
    return;
  }
}

async function* valuesOf(answer: ServerAnswer, stream: boolean): AsyncGenerator<unknown> {
  if (!stream) {
    yield await jsonOf(answer);
    return;
  }
  for await (const line of textLines(bodyOf(answer))) if (line.trim() !== '') yield parseJson(line);
}

/** The adapter of Ollama's own API. It refuses forced tool calls and omits `parallelToolCalls`, which the API does not support. */
export function createOllamaAdapter(server: ModelServer, kit: AdapterKit): ChatAdapter {
  return jsonAdapter(
    server,
    {
      path: 'api/chat',
      headers: bearer(server.apiKey),
      body: ollamaBody,
      read: (answer, { stream }) => readLines(valuesOf(answer, stream), kit.ports.nowMs),
    },
    kit,
  );
}
