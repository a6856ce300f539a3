import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy between the API and Postgres that forwards every byte and reads the API's statements. Each statement is one round trip. */
export interface StatementTap {
  /** The proxy's port on 127.0.0.1. */
  readonly port: number;
  /** The statements of each finished transaction, from begin to commit or rollback, in the order in which the transactions ended. */
  transactions(): readonly (readonly string[])[];
  stop(): void;
}

/**
 * Decides about a statement before the tap forwards it; `open` has the earlier statements of its transaction. `before`
 * cuts the connection instead; `after` cuts it once Postgres has executed the statement, before the API gets the
 * answer.
 */
export type Cut = (open: readonly string[], statement: string) => 'before' | 'after' | null;

const HEADER_BYTES = 5;
/**
 * Message types. `Q` is a simple query, followed by its text. `P` is a parse message: the name of the prepared
 * statement and a zero byte precede the text.
 */
const [QUERY, PARSE] = ['Q'.charCodeAt(0), 'P'.charCodeAt(0)];

function textOf(type: number, body: Buffer): string | null {
  if (type !== QUERY && type !== PARSE) return null;
  const start = type === PARSE ? body.indexOf(0) + 1 : 0;
  return body.toString('utf8', start, body.indexOf(0, start));
}

/** Reads the messages of one connection from pieces of any length. Skips the first message, which has no type. */
function statementReader(onStatement: (statement: string) => void): (piece: Buffer) => void {
  let pending = Buffer.alloc(0);
  let started = false;
  return (piece) => {
    pending = Buffer.concat([pending, piece]);
    while (pending.length >= HEADER_BYTES) {
      const length = started ? 1 + pending.readInt32BE(1) : pending.readInt32BE(0);
      if (pending.length < length) return;
      const text = started ? textOf(pending[0] ?? 0, pending.subarray(HEADER_BYTES, length)) : null;
      if (text !== null) onStatement(text);
      [pending, started] = [pending.subarray(length), true];
    }
  };
}

/** Starts a tap in front of the Postgres at `toPort` on this machine. Clients must connect without TLS. `cut`: see {@link Cut}. */
export async function startStatementTap(toPort: number, cut: Cut = () => null): Promise<StatementTap> {
  const sockets = new Set<Socket>();
  const ended: (readonly string[])[] = [];
  const server = createServer((caller) => {
    const postgres = connect(toPort, '127.0.0.1');
    let open: string[] | null = null;
    let ending: ReturnType<Cut> = null;
    const read = statementReader((statement) => {
      ending ??= cut(open ?? [], statement);
      if (/^(begin|start transaction)/i.test(statement)) open = [];
      open?.push(statement);
      if (!/^(commit|rollback)$/i.test(statement) || open === null) return;
      ended.push(open);
      open = null;
    });
    for (const [from, to] of [
      [caller, postgres],
      [postgres, caller],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined).on('close', () => to.destroy());
    }
    caller.on('data', (bytes: Buffer) => {
      read(bytes);
      if (ending === 'before') caller.destroy();
      else postgres.write(bytes);
    });
    postgres.on('data', (bytes: Buffer) => {
      if (ending === null) caller.write(bytes);
      else caller.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    transactions: () => ended,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
