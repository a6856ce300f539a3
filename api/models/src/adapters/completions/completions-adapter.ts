import { z } from 'zod';
import type { AdapterDelta } from '../../chat/chat-delta.ts';
import { faultIn, ModelFault } from '../../chat/model-error.ts';
import type { AdapterCall, ChatAdapter } from '../../chat/model.ts';
import type { ReportedUsage } from '../../chat/token-usage.ts';
import { classifyError } from '../../transport/classify-error.ts';
import { parseReply } from '../../transport/parse-reply.ts';
import { bearer, bodyOf, endpoint, jsonOf, postJson } from '../../transport/provider-exchange.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';
import type { ServerAnswer } from '../../transport/server-answer.ts';
import { parseJson, serverEvents } from '../../transport/text-lines.ts';
import { renderPrompt, STOPS } from './render-prompt.ts';

/** OpenAI accepts four stop texts, and other servers copied that. */
const STOPS_MAX = 4;
/** A base model writes until its context is full, so every request needs a limit. */
const DEFAULT_MAX_TOKENS = 512;

export interface CompletionsServer {
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

const count = z
  .int()
  .nonnegative()
  .nullish()
  .transform((value) => value ?? undefined);
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const Usage = z.object({ prompt_tokens: count, completion_tokens: count });
const Reply = z.object({
  error: z.unknown().optional(),
  choices: z.array(z.object({ text, finish_reason: text })).nullish(),
  usage: Usage.nullish(),
});

function usageOf({ prompt_tokens, completion_tokens }: z.infer<typeof Usage>): ReportedUsage {
  return { promptTokens: prompt_tokens, completionTokens: completion_tokens };
}

function requestOf({ request, model, stream }: AdapterCall): Record<string, unknown> {
  const { temperature, seed, maxTokens = DEFAULT_MAX_TOKENS, stop = [] } = request;
  const stops = [...stop, ...STOPS];
  // The caller's texts come first. If there are too many, the least likely labels are left out.
  return {
    model,
    prompt: renderPrompt(request),
    max_tokens: maxTokens,
    stop: stops.slice(0, STOPS_MAX),
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
  };
}

/** Reads the chunks of one answer. Mutable, because the finish reason comes before the usage. */
class CompletionReader {
  readonly #nowMs: () => number;
  #finish = '';
  #isStarted = false;
  #raw: unknown = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isFinished(): boolean {
    return this.#finish !== '';
  }

  *read(chunk: unknown): Generator<AdapterDelta> {
    const { error, choices, usage } = parseReply(Reply, chunk);
    if (error) throw classifyError({ body: chunk }, this.#nowMs());
    this.#raw = chunk;
    const choice = choices?.[0] ?? { text: '', finish_reason: '' };
    // The prompt ends at a colon: the space after it is not part of the answer.
    const words = this.#isStarted ? choice.text : choice.text.trimStart();
    this.#isStarted ||= words !== '';
    if (words !== '') yield { kind: 'text', text: words };
    if (choice.finish_reason !== '') this.#finish = choice.finish_reason;
    if (usage) yield { kind: 'usage', usage: usageOf(usage) };
  }

  end(): AdapterDelta {
    if (!this.isFinished) throw new ModelFault('network', 'the provider closed the answer before its end');
    return { kind: 'end', finish: this.#finish === 'length' ? 'length' : 'stop', raw: this.#raw };
  }
}

async function* readStream(answer: ServerAnswer, reader: CompletionReader): AsyncGenerator<AdapterDelta> {
  try {
    for await (const { data } of serverEvents(bodyOf(answer))) {
      if (data === '[DONE]') break;
      for (const delta of reader.read(parseJson(data))) yield delta;
    }
  } catch (thrown) {
    if (faultIn(thrown)?.code !== 'network' || !reader.isFinished) throw thrown;
  }
  yield reader.end();
}

/** The adapter of base models, which continue a text: OpenAI's `/completions`. It refuses tools and schemas. */
export function createCompletionsAdapter(
  { provider, baseUrl, apiKey }: CompletionsServer,
  kit: AdapterKit,
): ChatAdapter {
  const headers = bearer(apiKey);
  const url = endpoint(baseUrl, 'completions');
  return {
    provider,
    secrets: () => (apiKey === null ? [] : [apiKey]),
    async *ask(call) {
      const { stream, signal } = call;
      const reader = new CompletionReader(kit.ports.nowMs);
      const answer = await postJson(kit, { url, headers, body: requestOf(call), stream, signal });
      if (stream) {
        yield* readStream(answer, reader);
        return;
      }
      yield* reader.read(await jsonOf(answer));
      yield reader.end();
    },
  };
}
