import { z } from 'zod';
import type { AdapterDelta } from '../../chat/chat-delta.ts';
import { ModelFault } from '../../chat/model-error.ts';
import type { ChatAdapter } from '../../chat/model.ts';
import { classifyError } from '../../transport/classify-error.ts';
import { isErrorReport } from '../../transport/error-report.ts';
import { parseJson } from '../../transport/json-text.ts';
import { argumentsText, count, listOf, parseReply, text, word } from '../../transport/parse-reply.ts';
import { bearer, bodyOf, type AdapterKit } from '../../transport/provider-exchange.ts';
import { textLines } from '../../transport/text-lines.ts';
import { jsonAdapter, type ModelServer, type Send } from '../json-adapter.ts';
import { ollamaBody } from './ollama-body.ts';

const Call = z.object({ id: word, function: z.object({ name: text, arguments: argumentsText }) });
const Line = z.object({
  message: z
    .object({ content: text, thinking: text, tool_calls: listOf(Call) })
    .nullish()
    .catch(null),
  done: z.boolean().catch(false),
  done_reason: text,
  prompt_eval_count: count,
  eval_count: count,
});
type Line = z.infer<typeof Line>;

function* messageDeltas({ message }: Line, firstSlot: number): Generator<AdapterDelta> {
  if (!message) return;
  if (message.thinking !== '') yield { kind: 'reasoning', text: message.thinking };
  if (message.content !== '') yield { kind: 'text', text: message.content };
  for (const [position, { id, function: called }] of message.tool_calls.entries())
    yield { kind: 'tool', slot: firstSlot + position, id, ...called };
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

/** The pieces of an answer, whose lines are JSON; a whole answer is one line. Calls arrive whole, in one line or in several. */
async function* readLines(send: Send, nowMs: () => number): AsyncGenerator<AdapterDelta> {
  let slots = 0;
  for await (const written of textLines(bodyOf(await send()))) {
    if (written.trim() === '') continue;
    const value = parseJson(written);
    if (isErrorReport(value)) throw classifyError({ body: value }, nowMs());
    const line = parseReply(Line, value);
    yield* messageDeltas(line, slots);
    slots += line.message?.tool_calls.length ?? 0;
    if (!line.done) continue;
    yield* endDeltas(line, value);
    return;
  }
}

/** Ollama's address without the path of its second API, which speaks OpenAI's format: people write both. */
export const ollamaRoot = (baseUrl: string): string => baseUrl.replace(/\/+(?:v1\/*)?$/, '');

/** The adapter of Ollama's own API. It refuses forced tool calls and omits `parallelToolCalls`, which the API does not support. */
export function createOllamaAdapter(server: ModelServer, kit: AdapterKit): ChatAdapter {
  return jsonAdapter(
    { ...server, baseUrl: ollamaRoot(server.baseUrl) },
    {
      path: 'api/chat',
      headers: bearer(server.apiKey),
      body: ollamaBody,
      read: (send) => readLines(send, kit.ports.nowMs),
    },
    kit,
  );
}
