/** Postgres and Redis of a test as servers outside of a village: with TLS, and the roles of docs/DEPLOYMENT.md. */
import assert from 'node:assert/strict';
import { chmod, chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { freePort } from '@hamlet/dev';
import { Redis } from 'ioredis';
import type { TestCertificate } from '../../../api/server/src/money/testing/test-authority.ts';
import type { TestRedis } from '../redis.ts';
import type { Superuser } from '../superuser.ts';
import { until } from '../until.ts';

const DOCUMENT = resolve(import.meta.dirname, '../../../docs/DEPLOYMENT.md');

interface StorePasswords {
  readonly OWNER_PASSWORD: string;
  readonly APP_PASSWORD: string;
}

/** `superuser` is that of a Postgres that only this test uses. */
export async function outsideStores(superuser: Superuser) {
  const [first] = await superuser.run('show data_directory');
  const folder = String(first?.['data_directory']);
  const { uid, gid } = await stat(folder);
  /** A file beside the data of Postgres. */
  const file = (name: string): string => join(folder, name);

  async function keep(name: string, text: string): Promise<void> {
    await writeFile(file(name), text);
    await chown(file(name), uid, gid);
    await chmod(file(name), 0o600);
  }
  return {
    file,
    keep,
    /** Lets Postgres show this certificate from now on. */
    certify: async ({ chain, key }: TestCertificate) => {
      await keep('server.crt', chain);
      await keep('server.key', key);
      await superuser.run('alter system set ssl = on');
      await superuser.run('select pg_reload_conf()');
      await until('Postgres to have TLS', async () => (await superuser.run('show ssl'))[0]?.['ssl'] === 'on');
    },
    /** Runs the statements of the document, with these passwords. */
    makeRoles: async (passwords: StorePasswords) => {
      const statements =
        /```sql\n([^`]+)```/
          .exec(await readFile(DOCUMENT, 'utf8'))?.[1]
          ?.trim()
          .split('\n') ?? [];
      assert.equal(statements.length, 6);
      for (const statement of statements)
        await superuser.run(
          statement.replace(
            /'(\w+_PASSWORD)'/,
            (_, name: keyof StorePasswords) => `'${passwords[name].replace("'", "''")}'`,
          ),
        );
    },
    /** Gives Redis a port with the certificate of Postgres, the authority in `ca.crt`, and a password. Returns the port. */
    certifyRedis: async ({ url }: Pick<TestRedis, 'url'>, password: string) => {
      const port = await freePort();
      const redis = new Redis(url);
      const settings = {
        'tls-cert-file': file('server.crt'),
        'tls-key-file': file('server.key'),
        'tls-ca-cert-file': file('ca.crt'),
        'tls-auth-clients': 'no',
        'tls-port': port,
        requirepass: password,
      };
      try {
        await redis.call('CONFIG', 'SET', ...Object.entries(settings).flat());
      } finally {
        redis.disconnect();
      }
      return port;
    },
  };
}
