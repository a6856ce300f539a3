import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { binaryFrame } from './binary-frame.ts';

const LENGTHS = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000];

test(
  'a client accepts frames with every form of length, also between messages that ws sends',
  { timeout: 60_000 },
  async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    t.after(() => {
      for (const client of sockets.clients) client.terminate();
      server.close();
    });
    const messages = LENGTHS.map((length) => Uint8Array.from({ length }, (_, index) => (index * 7 + length) % 256));
    server.on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        for (const message of messages) {
          webSocket.send(`before ${message.length}`);
          socket.write(binaryFrame(message));
        }
        webSocket.close();
      }),
    );
    await once(server, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const got: (string | Uint8Array)[] = [];
    client.on('message', (data, isBinary) =>
      got.push(isBinary ? new Uint8Array(data as Buffer) : (data as Buffer).toString()),
    );
    await once(client, 'close');
    assert.deepEqual(
      got,
      messages.flatMap((message) => [`before ${message.length}`, message]),
    );
  },
);
