import type { AdapterDelta } from '../chat/chat-delta.ts';
import { faultIn } from '../chat/model-error.ts';
import type { AdapterCall, ChatAdapter } from '../chat/model.ts';
import { bodyOf, endpoint, jsonOf, postJson, type AdapterKit } from '../transport/provider-exchange.ts';
import type { ServerAnswer } from '../transport/server-answer.ts';
import { parseJson, serverEvents } from '../transport/text-lines.ts';

export interface ModelServer {
  readonly provider: string;
  /** The base address, without the path of the protocol; for OpenAI's and Anthropic's protocols it includes `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

/** Reads the chunks of one answer. Mutable: a piece may span several chunks, and the finish reason comes before the end. */
export interface AnswerReader {
  /** True once the provider has sent the finish reason. */
  readonly isFinished: boolean;
  /** True once no further event can come. */
  readonly isEnded?: boolean;
  read(chunk: unknown): Iterable<AdapterDelta>;
  /** Reads a whole answer, if it differs in form from a chunk. */
  readWhole?(body: unknown): Iterable<AdapterDelta>;
  end(): AdapterDelta;
}

/** The protocol of a provider that answers JSON POST requests. */
export interface Protocol {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  body(call: AdapterCall): object;
  read(answer: ServerAnswer, call: AdapterCall): AsyncIterable<AdapterDelta>;
}

/** Server-sent events up to `[DONE]` or the end that the reader detects. */
async function* readEvents(answer: ServerAnswer, reader: AnswerReader): AsyncGenerator<AdapterDelta> {
  try {
    for await (const { data } of serverEvents(bodyOf(answer))) {
      if (data === '[DONE]') return;
      for (const delta of reader.read(parseJson(data))) yield delta;
      if (reader.isEnded === true) return;
    }
  } catch (thrown) {
    // A connection lost after the finish reason loses only the usage, which is then estimated.
    if (faultIn(thrown)?.code !== 'network' || !reader.isFinished) throw thrown;
  }
}

async function* readWhole(answer: ServerAnswer, reader: AnswerReader): AsyncGenerator<AdapterDelta> {
  const body = await jsonOf(answer);
  yield* reader.readWhole?.(body) ?? reader.read(body);
}

export async function* readAnswer(
  answer: ServerAnswer,
  stream: boolean,
  reader: AnswerReader,
): AsyncGenerator<AdapterDelta> {
  yield* stream ? readEvents(answer, reader) : readWhole(answer, reader);
  yield reader.end();
}

export function jsonAdapter(server: ModelServer, protocol: Protocol, kit: AdapterKit): ChatAdapter {
  const { provider, baseUrl, apiKey } = server;
  const { path, headers } = protocol;
  return {
    provider,
    secrets: () => (apiKey === null ? [] : [apiKey]),
    async *ask(call) {
      const { stream, signal } = call;
      const url = endpoint(baseUrl, path);
      yield* protocol.read(await postJson(kit, { url, headers, body: protocol.body(call), stream, signal }), call);
    },
  };
}
