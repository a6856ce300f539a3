import { createHash, randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createClient, createPost, replyToPost, type Client } from '@hamlet/contract';
import { freePort, startLocal, startPostgres, startRedis, type LocalProcess } from '@hamlet/dev';
import { migrate, openDatabase } from '@hamlet/store';

const ROOT = resolve(import.meta.dirname, '../..');
const SAMPLES = join(ROOT, 'crds/samples');
const MAIN = join(ROOT, 'api/server/src/main.ts');
const BARE = join(import.meta.dirname, 'bare-server.ts');
const AGENTS = 50;
const POSTS = 200;
const REPLIES_EACH = 2;
/** No rate limits: the bench measures the highest rate. */
const RATE_LIMIT = '100000000';

/** An author; each author has a separate lock. */
export interface Author {
  readonly name: string;
  readonly token: string;
}

/** The two measured servers, on the same stores with the same board. */
export interface Stage {
  readonly ours: string;
  readonly bare: string;
  readonly authors: readonly Author[];
  readonly postId: string;
  end(): Promise<void>;
}

async function writeSamples(folder: string): Promise<void> {
  for (const file of await readdir(SAMPLES))
    if (file.startsWith('good-entitlement-')) await copyFile(join(SAMPLES, file), join(folder, file));
  for (let index = 0; index < AGENTS; index += 1) {
    const manifest = {
      apiVersion: 'hamlet.village/v1alpha1',
      kind: 'Agent',
      metadata: { name: `agent-${index}` },
      spec: { displayName: `Agent ${index}` },
    };
    await writeFile(join(folder, `good-agent-${index}.yaml`), JSON.stringify(manifest));
  }
}

/** Creates this number of admins, and returns their keys in the API's form. */
async function admitAuthors(url: string, count: number): Promise<readonly Author[]> {
  const db = openDatabase({ url, poolSize: 1, onError: () => undefined });
  const authors = Array.from({ length: count }, (_, index) => ({
    name: `author-${index}`,
    token: randomBytes(24).toString('base64url'),
  }));
  const rows = authors.map(({ name, token }) => ({
    key_hash: createHash('sha256').update(token).digest(),
    name,
    role: 'admin' as const,
    agent_id: null,
  }));
  await db.insertInto('api_key').values(rows).execute();
  await db.destroy();
  return authors;
}

/** Fills the board with the posts of a few days; returns the id of one of them. */
async function furnish(client: Client): Promise<string> {
  const made = async <T>(
    asked: Promise<
      { readonly ok: true; readonly data: T } | { readonly ok: false; readonly problem: { readonly detail: string } }
    >,
  ): Promise<T> => {
    const outcome = await asked;
    if (!outcome.ok) throw new Error(outcome.problem.detail);
    return outcome.data;
  };
  let postId = '';
  for (let index = 0; index < POSTS; index += 1) {
    const body = {
      title: `Who can mend a wheel? (${index})`,
      body: 'The cart stands at the market since the morning, and the left wheel has lost two spokes. '.repeat(3),
      audience: 'public',
      tags: ['question', 'help'],
    };
    ({ post_id: postId } = await made(client.call(createPost, { body })));
    for (let number = 0; number < REPLIES_EACH; number += 1)
      await made(
        client.call(replyToPost, {
          params: { post_id: postId },
          body: { body: 'I have the spokes at home; come to the workshop after noon.' },
        }),
      );
  }
  return postId;
}

const answers = (url: string) => (): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts the stores, as durable as in production, the API and the bare server, each in its own process. */
export async function openStage(authorCount: number): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-bench-api-'));
  await chmod(folder, 0o755);
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const end = async (): Promise<void> => {
    for (const each of ends.toReversed()) await each();
  };
  const program = async (args: readonly string[], env: NodeJS.ProcessEnv, url: string): Promise<LocalProcess> => {
    const local = await startLocal({ file: process.execPath, args, options: { env }, ready: answers(url) });
    ends.push(() => local.stop());
    return local;
  };
  try {
    await writeSamples(folder);
    const adminToken = randomBytes(24).toString('base64url');
    await writeFile(join(folder, 'keys.json'), JSON.stringify({ adminToken }));
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durability: 'full' });
    ends.push(() => postgres.stop());
    const redis = await startRedis();
    ends.push(() => redis.stop());
    const [port, metricsPort, barePort] = await Promise.all([freePort(), freePort(), freePort()]);
    const [ours, bare] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${barePort}`];
    const asApp = postgres.url().replace('postgres:hamlet@', 'app:app@');
    await migrate({ ownerUrl: postgres.url(), appUrl: asApp });
    const environment = {
      ...process.env,
      HAMLET_POSTGRES_URL: asApp,
      HAMLET_REDIS_URL: redis.url,
      HAMLET_PEOPLE_LISTEN: `127.0.0.1:${port}`,
      HAMLET_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      HAMLET_AGENT_SOURCE: 'samples',
      HAMLET_SAMPLES_DIR: folder,
      HAMLET_API_KEYS_FILE: join(folder, 'keys.json'),
      HAMLET_RATE_LIMIT: RATE_LIMIT,
      HAMLET_LOG_LEVEL: 'warn',
    };
    await program([MAIN], environment, `${ours}/readyz`);
    const postId = await furnish(createClient({ baseUrl: ours, token: adminToken }));
    const authors = await admitAuthors(postgres.url(), authorCount);
    await program([BARE, String(barePort), asApp, `${ours}/api/v1/world`], process.env, `${bare}/world`);
    return { ours, bare, authors, postId, end };
  } catch (error) {
    await end();
    throw error;
  }
}
