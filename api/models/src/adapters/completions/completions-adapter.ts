import { z } from 'zod';
import type { AdapterDelta } from '../../chat/chat-delta.ts';
import { extraFieldsFor, type ExtraField } from '../../chat/extra-fields.ts';
import { describeImages } from '../../chat/image-text.ts';
import { ModelFault } from '../../chat/model-error.ts';
import type { AdapterCall, ChatAdapter } from '../../chat/model.ts';
import type { ReportedUsage } from '../../chat/token-usage.ts';
import { classifyError } from '../../transport/classify-error.ts';
import { isErrorReport } from '../../transport/error-report.ts';
import { count, listOf, parseReply, text } from '../../transport/parse-reply.ts';
import { bearer, type AdapterKit } from '../../transport/provider-exchange.ts';
import { jsonAdapter, readAnswer, type AnswerReader, type ModelServer } from '../json-adapter.ts';
import type { ChatMessage, ChatRequest } from '../../chat/chat-request.ts';

/** Maximum number of stop texts: OpenAI accepts four, and other servers copied this limit. */
const STOPS_MAX = 4;
/** A base model writes until its context is full, so every request needs a limit. */
const DEFAULT_MAX_TOKENS = 512;

const Usage = z.object({ prompt_tokens: count, completion_tokens: count });
const Reply = z.object({
  choices: listOf(z.object({ text, finish_reason: text })),
  usage: Usage.nullish().catch(null),
});

function usageOf({ prompt_tokens, completion_tokens }: z.infer<typeof Usage>): ReportedUsage {
  return { promptTokens: prompt_tokens ?? undefined, completionTokens: completion_tokens ?? undefined };
}

const FIELDS: readonly ExtraField[] = ['top_p', 'top_k', 'presence_penalty', 'frequency_penalty', 'logit_bias', 'user'];

function requestOf({ request, model, stream }: AdapterCall): Record<string, unknown> {
  const { temperature, seed, maxTokens = DEFAULT_MAX_TOKENS, stop = [], continues = false } = request;
  const stops = continues ? stop : [...stop, ...STOPS];
  // The caller's texts come first. If there are too many, the least likely labels are dropped.
  return {
    model,
    prompt: continues ? request.messages.map(({ content }) => content).join('') : renderPrompt(describeImages(request)),
    max_tokens: maxTokens,
    ...(stops.length === 0 ? {} : { stop: stops.slice(0, STOPS_MAX) }),
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
    ...extraFieldsFor(FIELDS, request.extra),
  };
}

class CompletionReader implements AnswerReader {
  readonly #nowMs: () => number;
  #finish = '';
  #isStarted: boolean;
  #raw: unknown = null;

  constructor(nowMs: () => number, { continues = false }: Pick<ChatRequest, 'continues'>) {
    this.#nowMs = nowMs;
    this.#isStarted = continues;
  }

  get isFinished(): boolean {
    return this.#finish !== '';
  }

  *read(chunk: unknown): Generator<AdapterDelta> {
    if (isErrorReport(chunk)) throw classifyError({ body: chunk }, this.#nowMs());
    const { choices, usage } = parseReply(Reply, chunk);
    this.#raw = chunk;
    const choice = choices[0] ?? { text: '', finish_reason: '' };
    // Our own prompt ends at a colon: the space after it is not part of the answer.
    const words = this.#isStarted ? choice.text : choice.text.trimStart();
    this.#isStarted ||= words !== '';
    if (words !== '') yield { kind: 'text', text: words };
    if (choice.finish_reason !== '') this.#finish = choice.finish_reason;
    if (usage) yield { kind: 'usage', usage: usageOf(usage) };
  }

  readWhole(body: unknown): Generator<AdapterDelta> {
    return this.read(body);
  }

  *end(isComplete: boolean): Generator<AdapterDelta> {
    if (!this.isFinished && !isComplete)
      throw new ModelFault('network', 'the provider closed the answer before its end');
    yield { kind: 'end', finish: this.#finish === 'length' ? 'length' : 'stop', raw: this.#raw };
  }
}

/** The adapter of base models through OpenAI's `/completions`. It refuses tools and schemas. */
export function createCompletionsAdapter(server: ModelServer, kit: AdapterKit): ChatAdapter {
  return jsonAdapter(
    server,
    {
      path: 'completions',
      headers: bearer(server.apiKey),
      body: requestOf,
      read: (send, { request }) => readAnswer(send, new CompletionReader(kit.ports.nowMs, request)),
    },
    kit,
  );
}

const LABELS = { system: 'Instructions', user: 'User', assistant: 'Assistant', tool: 'Result' } as const;
/** A line of a message that looks like the start of another message. */
const FORGED = new RegExp(`^(?=(?:${Object.values(LABELS).join('|')}):)`, 'gm');

/** Stop texts, because a base model would also write the other side of the conversation. */
export const STOPS: readonly string[] = [LABELS.user, LABELS.system, LABELS.tool].map((label) => `\n${label}:`);

function lineOf({ role, content }: ChatMessage): string {
  return `${LABELS[role]}: ${content.trim().replaceAll(FORGED, '  ')}`;
}

/**
 * Renders a conversation for a base model to continue. Indents lines that look like a label, so that a message cannot
 * forge another one. Refuses tools and a schema, which base models do not support. Pure.
 */
export function renderPrompt({ messages, tools = [], toolChoice, responseSchema, jsonObject }: ChatRequest): string {
  if (tools.length > 0 && toolChoice !== 'none')
    throw new ModelFault('bad_request', 'a base model cannot call tools: ask without tools, or use a chat model');
  if (responseSchema !== undefined || jsonObject === true)
    throw new ModelFault('bad_request', 'a base model does not support schemas: ask without one, or use a chat model');
  return [...messages.map(lineOf), `${LABELS.assistant}:`].join('\n\n');
}
