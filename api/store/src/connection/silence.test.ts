/**
 * A connection whose other end stops answering without closing it, as after a power loss, or when a firewall drops
 * the connection.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilEnd } from '@hamlet/test/env/at-end';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { until } from '@hamlet/test/env/until';
import { sql } from 'kysely';
import { inTransaction, isConnectionError, isOutage, openDatabase } from './database.ts';
import { DatabaseBusyError } from './guarded-pool.ts';
import { listenWith } from './listener.ts';

const LIMITS = { answerMs: 1_500, idleInTransactionMs: 1_000, transactionMs: 20_000 };

/** Forwards bytes in both directions until it is silenced; then both ends still appear connected. */
async function silentProxy(toPort: number) {
  const pairs = new Set<readonly [Socket, Socket]>();
  let silent = false;
  const server = createServer((caller) => {
    const pair = [caller, connect(toPort, '127.0.0.1')] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [...pair].reverse()] as [Socket, Socket][]) {
      from.on('data', (bytes) => void (silent || to.write(bytes))).on('error', () => undefined);
      from.on('close', () => void (silent || to.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => void (silent = true),
    heal: () => {
      silent = false;
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      pairs.clear();
    },
    stop: () => {
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
  };
}

const postgres = untilEnd(await migratedPostgres());
const proxy = untilEnd(await silentProxy(postgres.port));
const direct = untilEnd(openDatabase({ url: postgres.appUrl, poolSize: 2, onError: () => undefined }));
const through = (): string => {
  const url = new URL(postgres.appUrl);
  url.port = String(proxy.port);
  url.searchParams.set('connect_timeout', '2');
  return url.href;
};

test('a process that goes silent during a transaction blocks others only briefly, and reconnects', async (t) => {
  const db = openDatabase({ url: through(), poolSize: 1, limits: LIMITS, onError: () => undefined });
  t.after(() => db.destroy());
  const lost = inTransaction(db, async (tx) => {
    await tx.selectFrom('world_lease').select('epoch').forShare().execute();
    proxy.silence();
    await tx.selectFrom('world_lease').select('epoch').execute();
  });
  await assert.rejects(lost, (error) => isConnectionError(error) && isOutage(error));
  await direct.updateTable('world_lease').set({ holder: 'the next' }).execute();
  proxy.heal();
  await until(
    'an answer again',
    async () =>
      (
        await db
          .selectFrom('world_lease')
          .select('holder')
          .executeTakeFirst()
          .catch(() => undefined)
      )?.holder === 'the next',
  );
});

test('a pool without a free connection reports busy; a pool whose database does not answer reports an outage', async (t) => {
  const db = openDatabase({
    url: through(),
    poolSize: 1,
    limits: { ...LIMITS, answerMs: 10_000, idleInTransactionMs: 20_000 },
    onError: () => undefined,
  });
  t.after(() => db.destroy());
  await until('a connection', async () => (await sql`select 1`.execute(db)).rows.length > 0);
  let working = true;
  const work = inTransaction(db, async (tx) => {
    while (working) {
      await sql`select 1`.execute(tx);
      await sleep(20);
    }
  });
  await assert.rejects(
    sql`select 1`.execute(db),
    (error) => error instanceof DatabaseBusyError && isConnectionError(error) && !isOutage(error),
  );
  working = false;
  await work;
  proxy.silence();
  const unanswered = sql`select 1`.execute(db);
  unanswered.catch(() => undefined);
  await assert.rejects(sql`select 1`.execute(db), (error) => isOutage(error));
  proxy.heal();
  await assert.rejects(unanswered);
});

test('Postgres ends a transaction that is open for too long', async (t) => {
  const db = openDatabase({
    url: postgres.appUrl,
    poolSize: 1,
    limits: { ...LIMITS, transactionMs: 500 },
    onError: () => undefined,
  });
  t.after(() => db.destroy());
  const long = inTransaction(db, async (tx) => {
    for (;;) await sql`select pg_sleep(0.05)`.execute(tx);
  });
  await assert.rejects(long, isConnectionError);
  await sql`select 1`.execute(db);
});

test('a listener checks its connection, and receives notifications again after a silence', async (t) => {
  let received = 0;
  const onNotify = (_channel: string, payload: string | null): void => {
    if (payload === 'again') received += 1;
  };
  const listener = listenWith({
    url: through(),
    channels: ['silence_test'],
    onNotify,
    patience: { askEveryMs: 600, answerMs: 500 },
  });
  t.after(() => listener.stop());
  const notify = (): Promise<unknown> => sql`select pg_notify('silence_test', 'again')`.execute(direct);
  await until('the first', async () => {
    await notify();
    return received > 0;
  });
  proxy.silence();
  await sleep(100);
  const before = received;
  // The proxy accepts new connections and stays silent until the listener has closed the old one.
  await sleep(2_000);
  proxy.heal();
  await until('the next', async () => {
    await notify();
    return received > before;
  });
});
