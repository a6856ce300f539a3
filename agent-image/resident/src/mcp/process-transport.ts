import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { exactIntegers } from './exact-integers.ts';
import type { HandsProcess, StreamedProgram } from '../hands/hands-process.ts';
import { McpFault, quoted } from './mcp-fault.ts';

/** A longer message is dropped, and its request fails; the server continues. */
const MESSAGE_BYTES = 16 << 20;
const REQUEST_BYTES = 4 << 20;
/** Bytes of a request in one write; the supervisor takes 1 MiB in base64. */
const WRITE_BYTES = 512 << 10;
const LINE_END = 0x0a;
/** Where the id of an overlong message is searched: it stands at the beginning or the end. */
const EDGE_BYTES = 512;
const TOO_LONG_CODE = -32_000;

export interface ProcessTransport {
  readonly transport: Transport;
  /** Why the program ended; while it runs, its last words outside of the protocol. */
  trouble(): string;
  /** True if the program has ended by itself. */
  hasEnded(): boolean;
  /** True if the program has printed so much that a new one should take the next call. */
  isWorn(): boolean;
}

/** By these properties the client recognizes the transport of a program, and accepts initial silence. */
const PROGRAM = { pid: null, stderr: null } as const;

export const isProgram = (transport: Transport): boolean => Object.keys(PROGRAM).every((key) => key in transport);

/** The program of an MCP server. It belongs to no run. */
export const mcpProgram = (name: string, argv: readonly string[]): StreamedProgram => ({
  owner: `mcp.${name}`,
  place: { run: 'mcp', call: name },
  argv,
});

export function processTransport(start: () => Promise<HandsProcess>): ProcessTransport {
  let program: HandsProcess | null = null;
  let trouble = '';
  let isOver = false;
  let hasEnded = false;
  let sending: Promise<void> = Promise.resolve();
  const over = async (why: string): Promise<void> => {
    if (isOver) return;
    isOver = true;
    trouble = why;
    await program?.end();
    transport.onclose?.();
  };
  const transport: Transport & typeof PROGRAM = {
    ...PROGRAM,
    start: async () => {
      program = await start();
      void follow(program, { transport, note: (line) => (trouble = `it printed: ${quoted(line)}`) }).then(
        (why) => {
          hasEnded = true;
          return over(quoted(why));
        },
        (error: unknown) => over(quoted(error instanceof Error ? error.message : String(error))),
      );
    },
    send: (message) => {
      // The parts of two messages must not mix.
      const sent = sending.then(() => write(program, message));
      sending = sent.catch(() => {});
      return sent;
    },
    close: () => over('the resident closed it'),
  };
  return {
    transport,
    trouble: () => trouble,
    hasEnded: () => hasEnded,
    isWorn: () => program?.isWorn() ?? false,
  };
}

async function write(program: HandsProcess | null, message: JSONRPCMessage): Promise<void> {
  const line = Buffer.from(`${JSON.stringify(message)}\n`);
  if (line.length > REQUEST_BYTES)
    throw new McpFault('mcp_refused', `The request is longer than ${REQUEST_BYTES >> 20} MiB: send less.`);
  for (let at = 0; at < line.length; at += WRITE_BYTES) await program?.write(line.subarray(at, at + WRITE_BYTES));
}

interface Followed {
  readonly transport: Transport;
  readonly note: (line: string) => void;
}

/** Reads lines until the program ends. Lines that are not messages are noted, and otherwise ignored. */
async function follow(program: HandsProcess, { transport, note }: Followed): Promise<string> {
  const lines = new Lines();
  for (;;) {
    const data = await program.read();
    if (data === null) return program.cause();
    for (const line of lines.add(data)) {
      if (typeof line !== 'string') transport.onmessage?.(line);
      else if (line.trim() !== '' && !receive(transport, line)) note(line);
    }
  }
}

/** Splits output into lines. An overlong line becomes the error that answers its request, or nothing. Mutable. */
class Lines {
  #parts: Buffer[] = [];
  #bytes = 0;
  #head: Buffer = Buffer.alloc(0);

  add(data: Buffer): readonly (string | JSONRPCMessage)[] {
    const lines: (string | JSONRPCMessage)[] = [];
    let from = 0;
    for (let end = data.indexOf(LINE_END); end >= 0; end = data.indexOf(LINE_END, from)) {
      this.#keep(data.subarray(from, end));
      lines.push(...this.#take());
      from = end + 1;
    }
    this.#keep(data.subarray(from));
    return lines;
  }

  #keep(part: Buffer): void {
    if (this.#head.length < EDGE_BYTES)
      this.#head = Buffer.concat([this.#head, part.subarray(0, EDGE_BYTES - this.#head.length)]);
    this.#bytes += part.length;
    this.#parts.push(part);
    // Only the end of an overlong line is still of use.
    if (this.#bytes > MESSAGE_BYTES) this.#parts = [Buffer.concat(this.#parts.slice(-2)).subarray(-EDGE_BYTES)];
  }

  #take(): readonly (string | JSONRPCMessage)[] {
    const [bytes, head, line] = [this.#bytes, this.#head, Buffer.concat(this.#parts)];
    this.#parts = [];
    this.#bytes = 0;
    this.#head = Buffer.alloc(0);
    return bytes <= MESSAGE_BYTES ? [line.toString()] : tooLong(head.toString(), line.toString());
  }
}

function tooLong(head: string, tail: string): readonly JSONRPCMessage[] {
  const id =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)/.exec(head)?.[1] ??
    /"id"\s*:\s*(\d+)\s*,?[^{}]*\}\s*$/.exec(tail)?.[1];
  const message = `the answer is longer than ${MESSAGE_BYTES >> 20} MiB: ask for less`;
  return id === undefined ? [] : [{ jsonrpc: '2.0', id: Number(id), error: { code: TOO_LONG_CODE, message } }];
}

function receive(transport: Transport, line: string): boolean {
  let message: JSONRPCMessage;
  try {
    message = deserializeMessage(exactIntegers(line));
  } catch {
    return false;
  }
  transport.onmessage?.(message);
  return true;
}
