import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNTS_CHANNEL, RUN_HINTS_CHANNEL, SESSION_EVENTS_CHANNEL } from '@hamlet/store';
import { untilEnd } from '@hamlet/test/env/at-end';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { until } from '@hamlet/test/env/until';
import { openNotifications } from './notifications.ts';

test('if one subscriber throws, the others still get notifications and the call after a reconnection', async () => {
  const postgres = untilEnd(await migratedPostgres());
  const superuser = untilEnd(openSuperuser(postgres));
  const [errors, seen]: [string[], (string | null)[]] = [[], []];
  const notifications = untilEnd(
    openNotifications(postgres.appUrl, (level, message) => errors.push(`${level} ${message}`)),
  );
  notifications.on(ACCOUNTS_CHANNEL, () => {
    throw new Error('planted');
  });
  notifications.on(RUN_HINTS_CHANNEL, (payload) => seen.push(payload));
  notifications.on(SESSION_EVENTS_CHANNEL, (payload) => seen.push(payload));
  await until('both subscribers read the state', async () => seen.length === 2);
  assert.deepEqual([...seen], [null, null]);
  await superuser.run(`notify ${ACCOUNTS_CHANNEL}, 'a'; notify ${RUN_HINTS_CHANNEL}, 'r'`);
  await until('the hint arrives', async () => seen.includes('r'));
  assert.deepEqual(errors, Array(2).fill('error a notification of Postgres cannot be handled'));
  await superuser.run(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hamlet-api listener' and datname = current_database()",
  );
  await until('both read the state again', async () => seen.filter((payload) => payload === null).length === 4);
});
