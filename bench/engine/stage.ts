import { fork } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startPostgres, type LocalPostgres } from '@hamlet/dev';
import { openDatabase } from '@hamlet/store';
import { sql } from 'kysely';
import { peerPackages, peersOf } from '../peer-packages.ts';
import { POD_FLAGS } from '../pod-flags.ts';
import { SubjectProcess } from './subject-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PEERS = peersOf('engine');
const RESOLVE = join(PEERS, 'resolve.mjs');

/** The measured programs. The others are compared with the first. */
export const SUBJECTS = ['bare', 'hamlet', 'ai', 'openaiAgents', 'langgraph', 'mastra', 'dbos'] as const;
export type Name = (typeof SUBJECTS)[number];

const FILES: Readonly<Record<Name, string>> = {
  bare: join(import.meta.dirname, 'bare-loop.ts'),
  hamlet: join(import.meta.dirname, 'hamlet-engine.ts'),
  ai: join(PEERS, 'ai.mjs'),
  openaiAgents: join(PEERS, 'openai-agents.mjs'),
  langgraph: join(PEERS, 'langgraph.mjs'),
  mastra: join(PEERS, 'mastra.mjs'),
  dbos: join(PEERS, 'dbos.mjs'),
};

/** The scripted server, Postgres, and the folders of the peers and of the measured files. */
export interface Stage {
  /** A folder on the disk of the work tree. */
  readonly folder: string;
  /** Starts a program under the flags of the pod, with a database and a folder of its own. */
  start(name: Name): Promise<SubjectProcess>;
  end(): Promise<void>;
}

async function startServer(): Promise<{ readonly url: string; readonly end: () => void }> {
  const child = fork(join(import.meta.dirname, 'scripted-server.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const port = await new Promise<number>((done, fail) => {
    child.once('message', (message: { readonly port: number }) => done(message.port));
    child.once('exit', () => fail(new Error('the scripted server did not start')));
  });
  return { url: `http://127.0.0.1:${port}/v1`, end: () => void child.kill() };
}

async function createDatabase(postgres: LocalPostgres, name: string): Promise<string> {
  const db = openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined });
  await sql`create database ${sql.id(name)}`.execute(db);
  await db.destroy();
  return postgres.url(name);
}

export async function openStage(): Promise<Stage> {
  const packages = await peerPackages('engine', 300);
  const results = join(ROOT, 'bench/results');
  await mkdir(results, { recursive: true });
  const folder = await mkdtemp(join(results, 'engine-'));
  await chmod(folder, 0o755);
  const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const end = async (): Promise<void> => {
    for (const each of ends.toReversed()) await each();
  };
  try {
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durability: 'full' });
    ends.push(() => postgres.stop());
    const server = await startServer();
    ends.push(server.end);
    let number = 0;
    const start = async (name: Name): Promise<SubjectProcess> => {
      number += 1;
      const own = join(folder, `${name}-${number}`);
      await mkdir(own);
      const url = await createDatabase(postgres, `${name}_${number}`.toLowerCase());
      return SubjectProcess.start({
        file: FILES[name],
        flags: [...POD_FLAGS, '--expose-gc', ...(FILES[name].startsWith(PEERS) ? [`--import=${RESOLVE}`] : [])],
        environment: {
          NODE_ENV: 'production',
          NODE_NO_WARNINGS: '1',
          NODE_COMPILE_CACHE: join(folder, 'compiled'),
          MODEL_URL: server.url,
          POSTGRES_URL: url,
          PEER_PACKAGES: packages,
          BENCH_FOLDER: own,
        },
      });
    };
    return { folder, start, end };
  } catch (error) {
    await end();
    throw error;
  }
}
