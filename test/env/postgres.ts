import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@hamlet/dev';
import type { LocalPostgres } from '@hamlet/dev';

export interface TestPostgres extends LocalPostgres {
  /** Stops the server and deletes its data. */
  remove(): Promise<void>;
}

/** A busy machine may take long to begin a session, which is not a failure of the test. */
const PATIENCE = 'connect_timeout=60';

/** A real, empty Postgres 18 for this test. */
export async function testPostgres(): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-test-postgres-'));
  await chmod(folder, 0o755);
  const server = await startPostgres({ dataDir: join(folder, 'data'), durability: 'fast' });
  return {
    ...server,
    url: (database) => `${server.url(database)}?${PATIENCE}`,
    remove: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
