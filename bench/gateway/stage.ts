import { execFile, fork, spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, startPostgres, startRedis } from '@hamlet/dev';
import { migrate } from '@hamlet/store';
import { CACHE } from '../../local/village/paths.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'api/server/src/main.ts');
const REQUIREMENTS = join(import.meta.dirname, '../peers/gateway/requirements.txt');
const OUTPUT_BYTES = 64 << 20;
const READY_TRIES = 1_200;

/** A server that callers ask. */
export interface Target {
  readonly url: string;
  /** One for each caller. */
  readonly tokens: readonly string[];
  /** Resident memory now, in MiB. */
  rssMb(): number;
  /** Processor time that the process has used so far. */
  cpuMs(): number;
}

export interface Stage {
  readonly upstream: Target;
  readonly hamlet: Target;
  readonly litellm: Target;
  end(): Promise<void>;
}

type Ends = (() => unknown)[];

/** LiteLLM's proxy in a virtual environment of the cache, every package pinned. */
async function litellmProgram(): Promise<string> {
  const version = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex')
    .slice(0, 16);
  const folder = join(CACHE, 'bench', `litellm-${version}`);
  const file = join(folder, 'bin/litellm');
  if (existsSync(join(folder, 'done'))) return file;
  console.log(`installing LiteLLM's proxy into ${folder} (about a minute)`);
  await mkdir(join(CACHE, 'bench'), { recursive: true });
  const install = `test -e "$1/done" || { rm -rf "$1" && python3 -m venv "$1" && "$1/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$2" && touch "$1/done"; }`;
  await promisify(execFile)('flock', [`${folder}.lock`, 'bash', '-c', install, 'install', folder, REQUIREMENTS], {
    maxBuffer: OUTPUT_BYTES,
  });
  return file;
}

function rssMbOf({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024;
}

/** Linux counts processor time in hundredths of a second. */
const MS_PER_CLOCK_TICK = 10;

function cpuMsOf({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
  return (Number(user) + Number(system)) * MS_PER_CLOCK_TICK;
}

const usedBy = (child: ChildProcess): Pick<Target, 'rssMb' | 'cpuMs'> => ({
  rssMb: () => rssMbOf(child),
  cpuMs: () => cpuMsOf(child),
});

/** Starts a program, its output in a log, and waits until the URL answers. */
async function startProgram(
  command: readonly [file: string, ...args: string[]],
  { env, ready, log, ends }: { env: NodeJS.ProcessEnv; ready: string; log: string; ends: Ends },
): Promise<ChildProcess> {
  const [file, ...args] = command;
  const output = openSync(log, 'a');
  const child = spawn(file, args, { env, stdio: ['ignore', output, output] });
  process.once('exit', () => child.kill('SIGKILL'));
  ends.push(async () => {
    if (child.exitCode !== null) return;
    const gone = new Promise((done) => {
      child.once('exit', done);
    });
    child.kill('SIGKILL');
    await gone;
  });
  for (let tries = 0; ; tries += 1) {
    const isReady = await fetch(ready).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return child;
    if (child.exitCode !== null || tries === READY_TRIES)
      throw new Error(`${file} did not become ready:\n${readFileSync(log, 'utf8').slice(-4_000)}`);
    await sleep(100);
  }
}

async function startUpstream(callers: number, ends: Ends): Promise<Target> {
  const child = fork(join(import.meta.dirname, 'upstream.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  process.once('exit', () => child.kill('SIGKILL'));
  ends.push(() => child.kill());
  const port = await new Promise<number>((done) => {
    child.once('message', (message: { readonly port: number }) => done(message.port));
  });
  const tokens = Array.from({ length: callers }, () => 'none');
  return { url: `http://127.0.0.1:${port}/v1`, tokens, ...usedBy(child) };
}

/** One agent for each caller, on a tier whose limits no caller reaches. */
async function writeVillage(folder: string, callers: number): Promise<readonly string[]> {
  const manifest = (kind: string, name: string, spec: object): Promise<void> =>
    writeFile(
      join(folder, `good-${kind.toLowerCase()}-${name}.yaml`),
      JSON.stringify({ apiVersion: 'hamlet.village/v1alpha1', kind, metadata: { name }, spec }),
    );
  await manifest('Entitlement', 'tier-0', {
    rank: 0,
    limits: { requestsPerMinute: 100_000, concurrentTools: 2, tokensPerHour: 100_000_000, models: ['small'] },
  });
  const tokens: Record<string, string> = {};
  for (let index = 0; index < callers; index += 1) {
    await manifest('Agent', `agent-${index}`, { displayName: `Agent ${index}` });
    tokens[`agent-${index}`] = randomBytes(24).toString('base64url');
  }
  const adminToken = randomBytes(24).toString('base64url');
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ adminToken, agentTokens: tokens }), { mode: 0o600 });
  return Object.values(tokens);
}

interface Place {
  readonly folder: string;
  readonly upstream: string;
  readonly callers: number;
  readonly ends: Ends;
}

/** The api as its image starts it, with durable stores. */
async function startHamlet({ folder, upstream, callers, ends }: Place): Promise<Target> {
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durability: 'full' });
  ends.push(() => postgres.stop());
  const redis = await startRedis();
  ends.push(() => redis.stop());
  const asApp = postgres.url().replace('postgres:hamlet@', 'app:app@');
  await migrate({ ownerUrl: postgres.url(), appUrl: asApp });
  const tokens = await writeVillage(folder, callers);
  const [people, metrics] = await Promise.all([freePort(), freePort()]);
  const child = await startProgram([process.execPath, MAIN], {
    ends,
    log: join(folder, 'api.log'),
    ready: `http://127.0.0.1:${metrics}/readyz`,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      NODE_OPTIONS: '--max-semi-space-size=16',
      MALLOC_ARENA_MAX: '1',
      HAMLET_POSTGRES_URL: asApp,
      HAMLET_REDIS_URL: redis.url,
      HAMLET_PEOPLE_LISTEN: `127.0.0.1:${people}`,
      HAMLET_METRICS_LISTEN: `127.0.0.1:${metrics}`,
      HAMLET_AGENT_SOURCE: 'samples',
      HAMLET_SAMPLES_DIR: folder,
      HAMLET_API_KEYS_FILE: join(folder, 'keys.json'),
      HAMLET_RATE_LIMIT: '100000000',
      HAMLET_LOG_LEVEL: 'warn',
      HAMLET_MODELS: JSON.stringify({
        providers: { upstream: { kind: 'compatible', baseUrl: upstream } },
        routes: [{ match: 'small', provider: 'upstream', model: 'up-model' }],
      }),
    },
  });
  return { url: `http://127.0.0.1:${people}/v1`, tokens, ...usedBy(child) };
}

/** One worker without a database: it keeps no quotas and writes no log of requests. */
async function startLitellm({ folder, upstream, callers, ends }: Place): Promise<Target> {
  const [program, port] = await Promise.all([litellmProgram(), freePort()]);
  const token = `sk-${randomBytes(16).toString('hex')}`;
  const config = join(folder, 'litellm.json');
  const parameters = { model: 'openai/up-model', api_base: upstream, api_key: 'none' };
  await writeFile(config, JSON.stringify({ model_list: [{ model_name: 'small', litellm_params: parameters }] }));
  const child = await startProgram(
    [program, '--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
    {
      ends,
      log: join(folder, 'litellm.log'),
      ready: `http://127.0.0.1:${port}/health/readiness`,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        LITELLM_MASTER_KEY: token,
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        LITELLM_TELEMETRY: 'False',
      },
    },
  );
  const tokens = Array.from({ length: callers }, () => token);
  return { url: `http://127.0.0.1:${port}/v1`, tokens, ...usedBy(child) };
}

export async function openStage(callers: number): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-bench-gateway-'));
  await chmod(folder, 0o755);
  const ends: Ends = [() => rm(folder, { recursive: true, force: true })];
  const end = async (): Promise<void> => {
    for (const each of ends.toReversed()) await each();
  };
  try {
    const upstream = await startUpstream(callers, ends);
    const place = { folder, upstream: upstream.url, callers, ends };
    const litellm = await startLitellm(place);
    const hamlet = await startHamlet(place);
    return { upstream, hamlet, litellm, end };
  } catch (error) {
    await end();
    throw error;
  }
}
