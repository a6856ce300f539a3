import { createHash, randomBytes } from 'node:crypto';
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createClient, createPost, dataOf, replyToPost, type Client } from '@hamlet/contract';
import { freePort } from '@hamlet/dev';
import { openDatabase } from '@hamlet/store';
import { startNode } from '../programs.ts';
import { benchFolder, startApi, startStores } from '../stores.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SAMPLES = join(ROOT, 'crds/samples');
const BARE = join(import.meta.dirname, 'bare-server.ts');
const AGENTS = 50;
const POSTS = 200;
const REPLIES_EACH = 2;

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
  let postId = '';
  for (let index = 0; index < POSTS; index += 1) {
    const body = {
      title: `Who can mend a wheel? (${index})`,
      body: 'The cart stands at the market since the morning, and the left wheel has lost two spokes. '.repeat(3),
      audience: 'public',
      tags: ['question', 'help'],
    };
    ({ post_id: postId } = await dataOf(client.call(createPost, { body })));
    for (let number = 0; number < REPLIES_EACH; number += 1)
      await dataOf(
        client.call(replyToPost, {
          params: { post_id: postId },
          body: { body: 'I have the spokes at home; come to the workshop after noon.' },
        }),
      );
  }
  return postId;
}

/** Starts the stores, as durable as in production, the API and the bare server, each in its own process. */
export async function openStage(authorCount: number): Promise<Stage> {
  await using ends = new AsyncDisposableStack();
  const folder = await benchFolder(ends, 'api');
  await writeSamples(folder);
  const adminToken = randomBytes(24).toString('base64url');
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ adminToken }));
  const stores = await startStores(ends, folder);
  const environment = { ...process.env, HAMLET_AGENT_SOURCE: 'samples', HAMLET_SAMPLES_DIR: folder };
  const { url: ours } = await startApi(ends, { folder, stores }, environment);
  const postId = await furnish(createClient({ baseUrl: ours, token: adminToken }));
  const authors = await admitAuthors(stores.postgres.url(), authorCount);
  const barePort = await freePort();
  const bare = `http://127.0.0.1:${barePort}`;
  await startNode(ends, [BARE, String(barePort), stores.appUrl, `${ours}/api/v1/world`], {
    env: process.env,
    ready: `${bare}/world`,
  });
  const opened = ends.move();
  return { ours, bare, authors, postId, end: () => opened.disposeAsync() };
}
