import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { until } from '@hamlet/test/env/until';
import { listen, listenWith } from './listener.ts';

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

test('one of two replicas leads, and the other one takes over when it ends', async (t) => {
  const { appUrl: url, remove } = await migratedPostgres();
  t.after(remove);
  const open = () =>
    listenWith({ url, channels: [], onNotify: () => undefined, patience: { askEveryMs: 20, answerMs: 5_000 } });
  const [first, second] = [open(), open()];
  await until('one leads', async () => first.leads() !== second.leads());
  const [leader, other] = first.leads() ? [first, second] : [second, first];
  await leader.stop();
  assert.ok(!leader.leads());
  await until('the other one leads', async () => other.leads());
  await other.stop();
});
