/** Two requests with one key: the second arrives just before the first ends. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openDatabase } from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { untilEnd } from '@hamlet/test/env/at-end';
import type { Answered, WriteKey } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import { eventually } from '../testing/test-village.ts';
import { writeCluster } from './write-cluster.ts';

let writes = 0;

const postgres = untilEnd(await migratedPostgres());
const db = untilEnd(openDatabase({ url: postgres.appUrl, poolSize: 4, onError: () => undefined }));
const superuser = untilEnd(openSuperuser(postgres));
const watcher = untilEnd(openSuperuser(postgres));

const write = (key: WriteKey): Promise<Answered> =>
  writeCluster(db, {
    key,
    by: { actor: { role: 'admin', id: 'admin' }, requestId: randomUUID(), traceparent: null },
    kind: 'Agent',
    name: 'ada',
    action: 'reboot',
    write: async () => {
      writes += 1;
      return accepted({ data: writes, uid: randomUUID(), generation: undefined, changed: true });
    },
    detail: () => ({}),
    answer: (number) => accepted({ number }),
  });

/** Waits until a statement waits for a lock. */
const blocked = (statement: string): Promise<boolean> =>
  eventually(`${statement} waits`, async () => {
    const rows = await watcher.run(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike '%${statement}%' and pid <> pg_backend_pid()`,
    );
    return rows.length > 0;
  });

test("a request that looks for an answer just before the other attempt ends gets that attempt's answer", async () => {
  const key = { actor: 'tester', key: randomUUID(), hash: Buffer.from('same') };
  // The end of the first attempt stops between the row of its write and its commit.
  await superuser.run('begin');
  await superuser.run('lock table audit in share mode');
  const first = write(key);
  await blocked('insert into "audit"');
  const second = write(key);
  await blocked('insert into cluster_write');
  await superuser.run('commit');
  assert.deepEqual(await first, { outcome: accepted({ number: 1 }), replayed: false });
  assert.deepEqual(await second, { outcome: accepted({ number: 1 }), replayed: true });
  assert.equal(writes, 1);
  assert.deepEqual(await watcher.run('select from cluster_write'), [], 'no write stays open');
});
