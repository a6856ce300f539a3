import type { AdapterDelta } from '../chat/chat-delta.ts';
import { faultIn } from '../chat/model-error.ts';
import type { AdapterCall, ChatAdapter } from '../chat/model.ts';
import { parseExact, parseJson } from '../transport/json-text.ts';
import { bodyOf, endpoint, postJson, type AdapterKit } from '../transport/provider-exchange.ts';
import type { ServerAnswer } from '../transport/server-answer.ts';
import { PartReader, type AnswerPart } from '../transport/text-lines.ts';

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

/** Sends a request and waits for the head of its answer. */
export type Send = () => Promise<ServerAnswer>;

/** The protocol of a provider that answers JSON POST requests. */
export interface Protocol {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  body(call: AdapterCall): object;
  /** Sends the request when the first piece is read. */
  read(send: Send, call: AdapterCall): AsyncIterable<AdapterDelta>;
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

/** The parts of one answer. Mutable: it ends with the part that says so. */
class AnswerParts {
  readonly #reader: AnswerReader;
  isComplete = false;
  isOver = false;

  constructor(reader: AnswerReader) {
    this.#reader = reader;
  }

  *take(parts: readonly AnswerPart[]): Generator<AdapterDelta> {
    for (const part of parts) {
      if (this.isOver) return;
      this.isComplete = isEnd(part);
      yield* readPart(part, this.#reader);
      this.isOver = this.isComplete || this.#reader.isEnded === true;
    }
  }
}

/**
 * Reads an answer, a whole one or a stream of events, by what the provider sent instead of what was asked for. One
 * asynchronous generator reads bytes, events and pieces, because each further one costs every token some microseconds.
 */
export async function* readAnswer(send: Send, reader: AnswerReader): AsyncGenerator<AdapterDelta> {
  const events = new PartReader();
  const parts = new AnswerParts(reader);
  const answer = await send();
  try {
    for await (const bytes of bodyOf(answer)) {
      // A loop is faster here than `yield*`, which awaits each piece once more.
      for (const delta of parts.take(events.take(bytes))) yield delta;
      if (parts.isOver) break;
    }
    for (const delta of parts.take(events.end())) yield delta;
  } catch (thrown) {
    // A connection lost after the finish reason loses only the usage, which is then estimated.
    if (faultIn(thrown)?.code !== 'network' || !reader.isFinished) throw thrown;
  }
  yield* reader.end(parts.isComplete);
}

export function jsonAdapter(server: ModelServer, protocol: Protocol, kit: AdapterKit): ChatAdapter {
  const { provider, baseUrl, apiKey } = server;
  const { path, headers } = protocol;
  return {
    provider,
    secrets: () => (apiKey === null ? [] : [apiKey]),
    ask(call) {
      const { stream, signal, request } = call;
      const { traceparent } = request;
      const url = endpoint(baseUrl, path);
      const sent = { url, headers: traceparent === undefined ? headers : { ...headers, traceparent }, stream, signal };
      return protocol.read(() => postJson(kit, { ...sent, body: protocol.body(call) }), call);
    },
  };
}
