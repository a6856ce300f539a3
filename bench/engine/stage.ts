import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startPostgres } from '@hamlet/dev';
import { peerPackages, peersOf } from '../peer-packages.ts';
import { POD_FLAGS } from '../pod-flags.ts';
import { forkServer } from '../programs.ts';
import { benchFolder, createDatabase } from '../stores.ts';
import { SubjectProcess } from './subject-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PEERS = peersOf('engine');
const RESOLVE = join(PEERS, 'resolve.mjs');

/** The measured programs. The others are compared with the first. */
export const SUBJECTS = ['bare', 'hamlet', 'ai', 'openaiAgents', 'langgraph', 'mastra', 'dbos'] as const;
export type Name = (typeof SUBJECTS)[number];

export const FILES: Readonly<Record<Name, string>> = {
  bare: join(import.meta.dirname, 'bare-loop.ts'),
  hamlet: join(import.meta.dirname, 'hamlet-engine.ts'),
  ai: join(PEERS, 'ai.mjs'),
  openaiAgents: join(PEERS, 'openai-agents.mjs'),
  langgraph: join(PEERS, 'langgraph.mjs'),
  mastra: join(PEERS, 'mastra.mjs'),
  dbos: join(PEERS, 'dbos.mjs'),
};

/** The scripted server, Postgres, and the folders of the peers and of the measured files. */
export interface Stage<Program extends string = Name> {
  /** A folder on the disk of the work tree. */
  readonly folder: string;
  /** Starts a program under the flags of the pod, with a database and a folder of its own. */
  start(name: Program): Promise<SubjectProcess>;
  end(): Promise<void>;
}

/** `area` names the folder of the measured files; peers are files of `bench/peers/engine`. */
export async function openStage<Program extends string>(
  area: string,
  files: Readonly<Record<Program, string>>,
): Promise<Stage<Program>> {
  const packages = await peerPackages('engine', 300);
  const results = join(ROOT, 'bench/results');
  await mkdir(results, { recursive: true });
  await using ends = new AsyncDisposableStack();
  const folder = await benchFolder(ends, join(results, `${area}-`));
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durability: 'full' });
  ends.defer(() => postgres.stop());
  const { port } = await forkServer(ends, join(import.meta.dirname, 'scripted-server.ts'));
  let number = 0;
  const start = async (name: Program): Promise<SubjectProcess> => {
    number += 1;
    const own = join(folder, `${name}-${number}`);
    await mkdir(own);
    const url = await createDatabase(postgres, `${name}_${number}`.toLowerCase());
    return SubjectProcess.start({
      file: files[name],
      flags: [...POD_FLAGS, '--expose-gc', ...(files[name].startsWith(PEERS) ? [`--import=${RESOLVE}`] : [])],
      environment: {
        NODE_ENV: 'production',
        NODE_NO_WARNINGS: '1',
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
        MODEL_URL: `http://127.0.0.1:${port}/v1`,
        POSTGRES_URL: url,
        PEER_PACKAGES: packages,
        BENCH_FOLDER: own,
      },
    });
  };
  const opened = ends.move();
  return { folder, start, end: () => opened.disposeAsync() };
}
