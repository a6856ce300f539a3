import type { AdapterDelta } from '../chat/chat-delta.ts';
import { faultIn } from '../chat/model-error.ts';
import type { AdapterCall, ChatAdapter } from '../chat/model.ts';
import { parseExact, parseJson } from '../transport/json-text.ts';
import { bodyOf, endpoint, postJson, type AdapterKit } from '../transport/provider-exchange.ts';
import type { ServerAnswer } from '../transport/server-answer.ts';
import { answerParts, type AnswerPart } from '../transport/text-lines.ts';

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
  /** Reads a whole answer, which a provider may send even if it was asked for a stream. */
  readWhole(body: unknown): Iterable<AdapterDelta>;
  /** The last pieces. `isComplete`: the provider said that the answer is complete, with or without a finish reason. */
  end(isComplete: boolean): Iterable<AdapterDelta>;
}

/** The protocol of a provider that answers JSON POST requests. */
export interface Protocol {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  body(call: AdapterCall): object;
  read(answer: ServerAnswer, call: AdapterCall): AsyncIterable<AdapterDelta>;
}

const DONE = '[DONE]';

/** The value of an event; null for one without data, for the end, and for one that the end of the body cut off. */
function valueOf({ data, isOpen = false }: AnswerPart): unknown {
  const written = data.trim();
  if (written === '' || written === DONE) return null;
  try {
    return parseExact(written);
  } catch {
    if (isOpen) return null;
    // A failure in plain words, unless it is broken JSON.
    return /^[[{"]/.test(written) ? parseJson(written) : { error: written };
  }
}

function readPart(part: AnswerPart, reader: AnswerReader): Iterable<AdapterDelta> {
  if (part.kind === 'whole') return reader.readWhole(parseJson(part.data));
  const value = valueOf(part);
  return value === null ? [] : reader.read(value);
}

const isEnd = ({ kind, data }: AnswerPart): boolean => kind === 'whole' || data.trim() === DONE;

/** Reads an answer, a whole one or a stream of events, by what the provider sent instead of what was asked for. */
export async function* readAnswer(answer: ServerAnswer, reader: AnswerReader): AsyncGenerator<AdapterDelta> {
  let isComplete = false;
  try {
    for await (const part of answerParts(bodyOf(answer))) {
      isComplete = isEnd(part);
      // A loop is faster here than `yield*`, which awaits each piece once more.
      for (const delta of readPart(part, reader)) yield delta;
      if (isComplete || reader.isEnded === true) break;
    }
  } catch (thrown) {
    // A connection lost after the finish reason loses only the usage, which is then estimated.
    if (faultIn(thrown)?.code !== 'network' || !reader.isFinished) throw thrown;
  }
  yield* reader.end(isComplete);
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
