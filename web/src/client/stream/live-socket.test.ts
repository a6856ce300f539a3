import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { type Connection, type LiveSocket, openLiveSocket } from './live-socket.ts';

/** The server's end of a websocket (RFC 6455), limited to short texts in both directions. */
interface Peer {
  say(text: string): void;
  onReceived(listener: () => void): void;
  drop(): void;
}

const ACCEPT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

function peerOf(stream: Duplex, received: string[]): Peer {
  let listener: () => void = () => undefined;
  stream.on('data', (bytes: Buffer) => {
    // A client masks its frames: opcode, length, four bytes of mask, text. One chunk may have several frames.
    for (let at = 0; at + 6 <= bytes.length;) {
      const length = (bytes[at + 1] ?? 0) & 127;
      const mask = bytes.subarray(at + 2, at + 6);
      const text = bytes.subarray(at + 6, at + 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
      if (((bytes[at] ?? 0) & 15) === 1) {
        received.push(Buffer.from(text).toString());
        listener();
      }
      at += 6 + length;
    }
  });
  stream.on('error', () => undefined);
  return {
    say: (text) => {
      const body = Buffer.from(text);
      stream.write(Buffer.concat([Buffer.from([0x81, body.length]), body]));
    },
    onReceived: (next) => {
      listener = next;
    },
    drop: () => stream.end(),
  };
}

interface Line {
  readonly line: LiveSocket;
  readonly states: readonly Connection[];
  readonly received: readonly string[];
  until(state: Connection, times?: number): Promise<void>;
}
type LineOptions = Readonly<{ beatMs?: number; read?: (data: ArrayBuffer | string) => void }>;

/** A connection to a real server. `meet` handles each connection on the server side, counted from 1. */
async function lineTo(
  context: TestContext,
  meet: (peer: Peer, count: number) => void,
  { beatMs = 60_000, read = (): void => undefined }: LineOptions = {},
): Promise<Line> {
  const server = createServer();
  const streams: Duplex[] = [];
  const received: string[] = [];
  server.on('upgrade', ({ headers }, stream) => {
    streams.push(stream);
    const accept = createHash('sha1')
      .update(`${headers['sec-websocket-key'] ?? ''}${ACCEPT}`)
      .digest('base64');
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    meet(peerOf(stream, received), streams.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const states: Connection[] = [];
  let look: () => void = () => undefined;
  const line = openLiveSocket({
    url: () => `ws://127.0.0.1:${port}`,
    beatMs,
    greeting: () => [{ hello: true }],
    message: read,
    connection: (state) => {
      states.push(state);
      look();
    },
  });
  context.after(() => {
    line.close();
    for (const stream of streams) stream.destroy();
    server.close();
  });
  return {
    line,
    states,
    received,
    until: (state, times = 1) =>
      new Promise((resolve) => {
        look = () => {
          if (states.filter((known) => known === state).length >= times) resolve();
        };
        look();
      }),
  };
}

test(
  'a socket is live from the first readable message, and sends its greeting on each new connection',
  { timeout: 60_000 },
  async (context) => {
    const { states, received, line, until } = await lineTo(context, (peer, count) => {
      peer.say('hello');
      if (count === 1) peer.onReceived(() => setTimeout(peer.drop, 50));
    });
    await until('live', 2);
    assert.deepEqual(states, ['live', 'reconnecting', 'live']);
    line.send({ look: 1 });
    while (received.length < 3)
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    assert.deepEqual(received, ['{"hello":true}', '{"hello":true}', '{"look":1}']);
  },
);

test(
  'an unreadable message makes the page outdated, never live, and the socket retries',
  { timeout: 60_000 },
  async (context) => {
    const read = (data: ArrayBuffer | string): void => {
      if (data === 'of a newer version') throw new Error('frame version 2, wanted 1');
    };
    const { states, until } = await lineTo(
      context,
      (peer, count) => {
        peer.say(count === 1 ? 'of a newer version' : 'readable again');
      },
      { read },
    );
    await until('live');
    assert.deepEqual(states, ['outdated', 'live']);
  },
);

test('a socket that is silent for too long lags, and then reconnects', { timeout: 60_000 }, async (context) => {
  const { states, until } = await lineTo(
    context,
    (peer, count) => {
      peer.say('hello');
      if (count > 1) setInterval(() => peer.say('beat'), 50).unref();
    },
    { beatMs: 300 },
  );
  await until('live', 2);
  assert.deepEqual(states.slice(0, 4), ['live', 'lagging', 'reconnecting', 'live']);
});

test('a closed socket stays closed', { timeout: 60_000 }, async (context) => {
  let met = 0;
  const { line, states, until } = await lineTo(context, (peer) => {
    met += 1;
    peer.say('hello');
  });
  await until('live');
  line.close();
  await new Promise((resolve) => {
    setTimeout(resolve, 700);
  });
  assert.deepEqual([met, states], [1, ['live']]);
});
