import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { listen } from './listener.ts';

test(
  'a listener can stop even if Postgres accepts its connection and never answers',
  { timeout: 60_000 },
  async (t) => {
    const silent = createServer().listen(0, '127.0.0.1');
    t.after(() => silent.close());
    await once(silent, 'listening');
    const connected = once(silent, 'connection');
    const listener = listen(
      `postgres://nobody@127.0.0.1:${(silent.address() as AddressInfo).port}/none`,
      ['any'],
      () => undefined,
    );
    const [socket] = await connected;
    socket.on('error', () => undefined).resume();
    await listener.stop();
  },
);
