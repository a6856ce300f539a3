/** The API with Postgres and Redis outside of the village, which docs/DEPLOYMENT.md sets up, over TLS. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { until } from '@hamlet/test/env/until';
import { outsideStores } from '@hamlet/test/env/net/outside-stores';
import { testAuthority } from '../money/testing/test-authority.ts';
import { ownVillage, Play } from '../testing/test-village.ts';
import { readMigrationConfig } from './config.ts';
import { migrateSchema } from './schema.ts';

const PASSWORDS = { OWNER_PASSWORD: "o:w@n/e%r?'#", APP_PASSWORD: 'a&p p+"$' };
const village = await ownVillage('empty');
const superuser = untilEnd(openSuperuser(village.postgres));
const [authority, other] = await Promise.all([testAuthority(), testAuthority()]);
untilEnd(authority);
untilEnd(other);
const { file, keep, certify, makeRoles, certifyRedis } = await outsideStores(superuser);

const certificate = await authority.server(['localhost']);
await keep('ca.crt', authority.root);
await keep('other.crt', other.root);
await certify(certificate);

await makeRoles(PASSWORDS);

const postgresUrl = (role: string, ca = 'ca.crt'): string =>
  `postgres://${role}@localhost:${village.postgres.port}/hamlet?sslmode=verify-full&sslrootcert=${file(ca)}`;

function migrateWith(ca: string): Promise<void> {
  const config = readMigrationConfig({
    HAMLET_POSTGRES_URL: postgresUrl('app', ca),
    HAMLET_POSTGRES_PASSWORD: PASSWORDS.APP_PASSWORD,
    HAMLET_POSTGRES_OWNER_URL: postgresUrl('owner', ca),
    HAMLET_POSTGRES_OWNER_PASSWORD: PASSWORDS.OWNER_PASSWORD,
  });
  return migrateSchema(config, () => undefined);
}

test('a certificate of another authority or of another name is refused', async () => {
  await assert.rejects(migrateWith('other.crt'), { code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' });
  await certify(await authority.server(['elsewhere.test']));
  await until('the certificate to change', () =>
    migrateWith('ca.crt').then(
      () => false,
      ({ code }: { readonly code?: string }) => code === 'ERR_TLS_CERT_ALTNAME_INVALID',
    ),
  );
  await certify(certificate);
});

test('the roles of the document migrate and serve a village, and every connection of the API is encrypted', async () => {
  await until('the migrations', () =>
    migrateWith('ca.crt').then(
      () => true,
      () => false,
    ),
  );
  const port = await certifyRedis(village.redis, 'r:e@d/i%s');
  const { peopleUrl } = await village.startReplica({
    HAMLET_POSTGRES_URL: postgresUrl('app'),
    HAMLET_POSTGRES_PASSWORD: PASSWORDS.APP_PASSWORD,
    HAMLET_REDIS_URL: `rediss://localhost:${port}?sslrootcert=${file('ca.crt')}`,
    HAMLET_REDIS_PASSWORD: 'r:e@d/i%s',
  });
  const play = new Play(peopleUrl);
  await play.everybody();
  await until('the figures in Redis', async () => (await play.admin.raw.listNodeFigures()).ok);
  const sessions = await superuser.run(
    "select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where datname = 'hamlet' and usename = 'app'",
  );
  assert.deepEqual(sessions, [{ ssl: true }]);
});
