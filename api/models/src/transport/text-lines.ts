import { ModelFault } from '../chat/model-error.ts';

/** An incomplete line that the next chunk continues. Mutable. */
class LineReader {
  readonly #decoder = new TextDecoder();
  #rest = '';

  take(bytes: Uint8Array): readonly string[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    const isLine = this.#rest.endsWith('\r') || text.includes('\n') || text.includes('\r');
    this.#rest += text;
    if (!isLine) return [];
    const all = this.#rest;
    // A CR at the end may be half of CRLF: it waits for the next bytes.
    const end = all.endsWith('\r') ? all.length - 1 : all.length;
    const lines = all.includes('\r') ? all.slice(0, end).split(/\r\n|\n|\r/) : all.split('\n');
    this.#rest = (lines.pop() ?? '') + all.slice(end);
    return lines;
  }

  /** The last line if it has no line end, else the empty text. */
  end(): string {
    return (this.#rest + this.#decoder.decode()).replace(/\r$/, '');
  }
}

/**
 * The lines of a body; `guardedFetch` limits their length. Bytes of one character may arrive in two chunks; invalid
 * UTF-8 becomes U+FFFD.
 */
export async function* textLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const reader = new LineReader();
  for await (const bytes of body) for (const line of reader.take(bytes)) yield line;
  const last = reader.end();
  if (last !== '') yield last;
}

/** A server-sent event; `event` is `message` if the stream gives no name. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** The fields of the incomplete event. Mutable. */
class EventReader {
  #event = '';
  #data: string | null = null;

  take(line: string): ServerEvent | null {
    if (line !== '') {
      this.#field(line);
      return null;
    }
    const [event, data] = [this.#event, this.#data];
    this.#event = '';
    this.#data = null;
    return data === null ? null : { event: event === '' ? 'message' : event, data };
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    if (field === 'event') this.#event = value;
  }
}

/**
 * The server-sent events of a body, as WHATWG defines them, without `id` and `retry`. Drops an incomplete event at the
 * end of the stream. Reads lines and events in one pass for speed.
 */
export async function* serverEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const lines = new LineReader();
  const events = new EventReader();
  for await (const bytes of body)
    for (const line of lines.take(bytes)) {
      const event = events.take(line);
      if (event !== null) yield event;
    }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelFault('bad_answer', 'the provider sent text that is not valid JSON');
  }
}
