import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { startRedis } from '@hamlet/dev';
import { until } from '@hamlet/test/env/until';
import { untilEnd } from '@hamlet/test/env/at-end';
import { openRedisLink } from './redis-link.ts';

const redis = untilEnd(await startRedis());

/** A proxy to Redis whose open connections can fall silent without closing, like those to a node without power. */
async function silentWay(): Promise<{ readonly url: string; silence(): void; close(): void }> {
  const { hostname, port } = new URL(redis.url);
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((from) => {
    const to = connect(Number(port), hostname);
    from.pipe(to).pipe(from);
    for (const socket of [from, to]) socket.on('error', () => undefined);
    pairs.add([from, to]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    silence: () => {
      for (const [from, to] of pairs) {
        from.unpipe(to).resume();
        to.unpipe(from).resume();
      }
    },
    close: () => {
      server.close();
      for (const socket of [...pairs].flat()) socket.destroy();
    },
  };
}

test('a silent Redis times out, and both connections are opened again', async () => {
  const way = await silentWay();
  const link = openRedisLink(way.url, () => undefined, 200);
  const received: string[] = [];
  try {
    await link.subscribe('news', (message) => received.push(message));
    await until('the link is connected', async () => link.connected && (await link.publish('news', 'before')) === 1);
    way.silence();
    await assert.rejects(link.ping());
    await until('a message arrives again', async () => {
      await link.publish('news', 'after');
      return received.includes('after');
    });
  } finally {
    link.close();
    way.close();
  }
});
