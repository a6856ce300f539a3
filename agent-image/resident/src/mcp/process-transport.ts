import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import type { HandsProcess } from './hands-process.ts';
import { quoted } from './mcp-fault.ts';

const MESSAGE_BYTES = 512 << 10;
const TOO_LONG = `it sent a message of more than ${MESSAGE_BYTES >> 10} KiB`;
/** Maximum lines outside the protocol before the connection ends. Some programs print a greeting. */
const BROKEN_LINES_MAX = 20;

export interface ProcessTransport {
  readonly transport: Transport;
  /** Why the program ended; empty while it runs. */
  trouble(): string;
}

/** By these properties the client recognizes the transport of a program, and accepts initial silence. */
const PROGRAM = { pid: null, stderr: null } as const;

export const isProgram = (transport: Transport): boolean => Object.keys(PROGRAM).every((key) => key in transport);

export function processTransport(start: () => Promise<HandsProcess>): ProcessTransport {
  let program: HandsProcess | null = null;
  let trouble = '';
  let isOver = false;
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
        (why) => over(quoted(why)),
        (error: unknown) => over(quoted(error instanceof Error ? error.message : String(error))),
      );
    },
    send: async (message) => {
      const line = `${JSON.stringify(message)}\n`;
      if (Buffer.byteLength(line) > MESSAGE_BYTES)
        throw new Error(`the request is longer than ${MESSAGE_BYTES >> 10} KiB`);
      await program?.write(line);
    },
    close: () => over('the resident closed it'),
  };
  return { transport, trouble: () => trouble };
}

interface Followed {
  readonly transport: Transport;
  readonly note: (line: string) => void;
}

async function follow(program: HandsProcess, { transport, note }: Followed): Promise<string> {
  let unread: Buffer = Buffer.alloc(0);
  let broken = 0;
  for (;;) {
    const data = await program.read();
    if (data === null) return program.cause();
    unread = Buffer.concat([unread, data]);
    for (let end = unread.indexOf('\n'); end >= 0; end = unread.indexOf('\n')) {
      const line = unread.subarray(0, end).toString();
      unread = unread.subarray(end + 1);
      if (end > MESSAGE_BYTES) return TOO_LONG;
      if (line.trim() === '' || receive(transport, line)) continue;
      broken += 1;
      note(line);
      if (broken >= BROKEN_LINES_MAX) return `it printed ${broken} lines that are no messages, the last: ${line}`;
    }
    if (unread.length > MESSAGE_BYTES) return TOO_LONG;
  }
}

function receive(transport: Transport, line: string): boolean {
  let message: JSONRPCMessage;
  try {
    message = deserializeMessage(line);
  } catch {
    return false;
  }
  transport.onmessage?.(message);
  return true;
}
