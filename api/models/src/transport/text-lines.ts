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

  /** The last line if it has no line break, else the empty text. */
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

/** The data of a server-sent event, or the text of a body that is not a stream of events. */
export interface AnswerPart {
  readonly kind: 'event' | 'whole';
  readonly data: string;
  /** True for an event that the end of the body cut off, or that only lacks its blank line. */
  readonly isOpen?: boolean;
}

const FIELD = /^(?:(?:data|event|id|retry)?:|(?:data|event|id|retry)$)/;
const DONE_LINE = /^data: ?\[DONE\]\s*$/;

/**
 * Reads the server-sent events of a body, as WHATWG defines them, without their names; or the whole body if it does not
 * begin like a stream of events, because some servers send one for the other. Mutable.
 */
export class PartReader {
  readonly #lines = new LineReader();
  #data: string | null = null;
  #whole: string[] | null = null;
  #isBegun = false;

  take(bytes: Uint8Array): readonly AnswerPart[] {
    const parts: AnswerPart[] = [];
    for (const line of this.#lines.take(bytes)) {
      const part = this.#line(line);
      if (part !== null) parts.push(part);
    }
    return parts;
  }

  /** The part that the end of the body cut off or completes. */
  end(): readonly AnswerPart[] {
    const lastLine = this.#lines.end();
    if (lastLine !== '') this.#line(lastLine);
    if (this.#whole !== null) return [{ kind: 'whole', data: this.#whole.join('\n') }];
    const event = this.#event();
    return event === null ? [] : [{ ...event, isOpen: true }];
  }

  #line(line: string): AnswerPart | null {
    if (!this.#isBegun && line.trim() !== '') {
      this.#isBegun = true;
      if (!FIELD.test(line)) this.#whole = [];
    }
    if (this.#whole !== null) {
      // Some servers end even a whole answer like a stream.
      if (!DONE_LINE.test(line)) this.#whole.push(line);
      return null;
    }
    if (line === '') return this.#event();
    this.#field(line);
    return null;
  }

  #event(): AnswerPart | null {
    const data = this.#data;
    this.#data = null;
    return data === null ? null : { kind: 'event', data };
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    if ((colon < 0 ? line : line.slice(0, colon)) !== 'data') return;
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
  }
}
