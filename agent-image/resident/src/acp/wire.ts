import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { readJson } from '@hamlet/core/read-json';
import type { HandsProcess } from '../hands/hands-process.ts';

/** Maximum length of a line; a longer one ends the program. */
const LINE_BYTES = 16 << 20;
/** Bytes of a message to the program in one write; the supervisor takes 1 MiB in base64. */
const WRITE_BYTES = 512 << 10;
const LINE_END = 0x0a;
const NOTED_CHARS = 500;

export interface Wire {
  readonly stream: Stream;
  /** Resolves with the reason when the program has ended or broken the protocol. Never rejects. */
  readonly ended: Promise<string>;
}

/** Messages of the protocol over the standard streams of a program. All other output is ignored. */
export function wireTo(program: HandsProcess): Wire {
  const over = Promise.withResolvers<string>();
  const asked = new Set<unknown>();
  let last = '';
  const readable = new ReadableStream<AnyMessage>({
    start: async (controller) => {
      const take = (line: string): void => {
        const message = messageIn(line, asked);
        if (message === null) last = line.trim() === '' ? last : line.slice(0, NOTED_CHARS);
        else controller.enqueue(message);
      };
      void read(program, take)
        .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
        .then((why) => {
          over.resolve(last === '' ? why : `${why}; it printed: ${last}`);
          controller.close();
        })
        .catch(() => {});
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: async (message) => {
      if ('method' in message && 'id' in message) asked.add(message.id);
      const line = Buffer.from(`${JSON.stringify(message)}\n`);
      for (let at = 0; at < line.length; at += WRITE_BYTES) await program.write(line.subarray(at, at + WRITE_BYTES));
    },
  });
  return { stream: { readable, writable }, ended: over.promise };
}

/** Reads lines until the program ends. Returns why it ended. */
async function read(program: HandsProcess, take: (line: string) => void): Promise<string> {
  const line = new OpenLine();
  for (;;) {
    const data = await program.read();
    if (data === null) return program.cause();
    let from = 0;
    for (let end = data.indexOf(LINE_END); end >= 0; end = data.indexOf(LINE_END, from)) {
      line.add(data.subarray(from, end));
      take(line.end());
      from = end + 1;
    }
    line.add(data.subarray(from));
    if (line.bytes > LINE_BYTES) return `it printed a line of more than ${LINE_BYTES >> 20} MiB`;
  }
}

const NOTHING = Buffer.alloc(0);

/** A line that arrives in parts, which may be single bytes, in one growing buffer. Mutable. */
class OpenLine {
  #room: Buffer = NOTHING;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(part: Buffer): void {
    const bytes = this.#bytes + part.length;
    if (bytes > this.#room.length) {
      const larger = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#room.length));
      this.#room.copy(larger, 0, 0, this.#bytes);
      this.#room = larger;
    }
    part.copy(this.#room, this.#bytes);
    this.#bytes = bytes;
  }

  /** Returns the whole line, and begins the next one. */
  end(): string {
    const text = this.#room.toString('utf8', 0, this.#bytes);
    [this.#room, this.#bytes] = [NOTHING, 0];
    return text;
  }
}

/** Parses a line; null if it is not a message, or answers no request. */
function messageIn(line: string, asked: Set<unknown>): AnyMessage | null {
  const message = readJson(line);
  if (typeof message !== 'object' || message === null || !('jsonrpc' in message)) return null;
  if ('method' in message) {
    if (typeof message.method !== 'string') return null;
  } else if (!('id' in message) || !asked.delete(message.id)) return null;
  // The library checks the rest.
  return message as AnyMessage;
}
