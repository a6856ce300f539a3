import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '@hamlet/dev';
import type { LocalPostgres } from '@hamlet/dev';
import { migrate } from '@hamlet/store';

export interface TestPostgres extends LocalPostgres {
  /** Connection string with the rights of the API, for a migrated database. */
  readonly appUrl: string;
  /** Stops the server and deletes its data. */
  remove(): Promise<void>;
}

/** What a server has before its test, by a name. */
interface Content {
  readonly name: string;
  fill(server: LocalPostgres): Promise<void>;
}

const EMPTY: Content = { name: 'empty', fill: async () => {} };
const MIGRATED: Content = {
  name: 'migrated',
  fill: async ({ url }) => void (await migrate({ ownerUrl: url(), appUrl: appUrlOf(url()) })),
};

const appUrlOf = (ownerUrl: string): string => ownerUrl.replace('postgres:hamlet@', 'app:app@');

/** A busy machine may take long to begin a session, which is not a failure of the test. */
const PATIENCE = 'connect_timeout=60';
/** The folder of data that all test files of a run copy, which is quicker than to make it. None if a file runs by itself. */
const TEMPLATES = process.env['HAMLET_TEST_TEMPLATES'];

const run = promisify(execFile);

/** A real, empty Postgres 18 for this test. */
export const testPostgres = (): Promise<TestPostgres> => serverWith(EMPTY);

/** A real Postgres 18 for this test, with the tables of the village. */
export const migratedPostgres = (): Promise<TestPostgres> => serverWith(MIGRATED);

async function serverWith(content: Content): Promise<TestPostgres> {
  const folder = await openFolder(join(tmpdir(), 'hamlet-test-postgres-'));
  const dataDir = join(folder, 'data');
  if (TEMPLATES !== undefined) await run('cp', ['-a', '--reflink=auto', await templateOf(content, TEMPLATES), dataDir]);
  const server = await startPostgres({ dataDir, durability: 'fast' });
  const url = (database?: string): string => `${server.url(database)}?${PATIENCE}`;
  const test: TestPostgres = {
    ...server,
    url,
    appUrl: appUrlOf(url()),
    remove: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  if (TEMPLATES === undefined) await content.fill(test);
  return test;
}

/** The data of a stopped server with the content. */
async function templateOf({ name, fill }: Content, templates: string): Promise<string> {
  const template = join(templates, name);
  if (existsSync(template)) return template;
  await mkdir(templates, { recursive: true });
  const folder = await openFolder(`${template}-`);
  const server = await startPostgres({ dataDir: join(folder, 'data'), durability: 'fast' });
  await fill(server);
  await server.stop();
  // Test files that begin at the same time each make one, and the first stays.
  await rename(join(folder, 'data'), template).catch((error: unknown) => {
    if (!existsSync(template)) throw error;
  });
  await rm(folder, { recursive: true, force: true });
  return template;
}

/** A new folder that the user of Postgres can enter. */
async function openFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(prefix);
  await chmod(folder, 0o755);
  return folder;
}
