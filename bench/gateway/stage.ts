import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startLocal } from '@hamlet/dev';
import { CACHE } from '../../local/village/paths.ts';
import { answers, cpuSecondsOf, forkServer, rssMbOf } from '../programs.ts';
import { benchFolder, startApi, startStores, type Stores } from '../stores.ts';

const REQUIREMENTS = join(import.meta.dirname, '../peers/gateway/requirements.txt');
const OUTPUT_BYTES = 64 << 20;

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
  readonly floor: Target;
  readonly hamlet: Target;
  readonly litellm: Target;
  end(): Promise<void>;
}

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

const usedBy = (pid: number | undefined): Pick<Target, 'rssMb' | 'cpuMs'> => ({
  rssMb: () => rssMbOf({ pid }),
  cpuMs: () => cpuSecondsOf({ pid }) * 1_000,
});

async function startUpstream(callers: number, ends: AsyncDisposableStack): Promise<Target> {
  const { child, port } = await forkServer(ends, join(import.meta.dirname, 'upstream.ts'));
  const tokens = Array.from({ length: callers }, () => 'none');
  return { url: `http://127.0.0.1:${port}/v1`, tokens, ...usedBy(child.pid) };
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
  readonly stores: Stores;
  readonly upstream: string;
  readonly callers: number;
  readonly ends: AsyncDisposableStack;
}

/** The proxy of `floor.ts`, on the Postgres of the API. */
async function startFloor({ stores, upstream, callers, ends }: Place): Promise<Target> {
  const args = [upstream, stores.postgres.url()];
  const { child, port } = await forkServer(ends, join(import.meta.dirname, 'floor.ts'), args);
  const tokens = Array.from({ length: callers }, () => 'none');
  return { url: `http://127.0.0.1:${port}/v1`, tokens, ...usedBy(child.pid) };
}

/** The api as its image starts it, with durable stores. */
async function startHamlet({ folder, stores, upstream, callers, ends }: Place): Promise<Target> {
  const tokens = await writeVillage(folder, callers);
  const { url, pid } = await startApi(
    ends,
    { folder, stores },
    {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      MALLOC_ARENA_MAX: '1',
      HAMLET_AGENT_SOURCE: 'samples',
      HAMLET_SAMPLES_DIR: folder,
      HAMLET_MODELS: JSON.stringify({
        providers: { upstream: { kind: 'compatible', baseUrl: upstream } },
        routes: [{ match: 'small', provider: 'upstream', model: 'up-model' }],
      }),
    },
  );
  return { url: `${url}/v1`, tokens, ...usedBy(pid) };
}

/** One worker without a database: it keeps no quotas and writes no log of requests. */
async function startLitellm({ folder, upstream, callers, ends }: Place): Promise<Target> {
  const [program, port] = await Promise.all([litellmProgram(), freePort()]);
  const token = `sk-${randomBytes(16).toString('hex')}`;
  const config = join(folder, 'litellm.json');
  const parameters = { model: 'openai/up-model', api_base: upstream, api_key: 'none' };
  await writeFile(config, JSON.stringify({ model_list: [{ model_name: 'small', litellm_params: parameters }] }));
  const local = await startLocal({
    file: program,
    args: ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
    options: {
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        LITELLM_MASTER_KEY: token,
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        LITELLM_TELEMETRY: 'False',
      },
    },
    ready: () => answers(`http://127.0.0.1:${port}/health/readiness`),
  });
  ends.defer(() => local.stop());
  const tokens = Array.from({ length: callers }, () => token);
  return { url: `http://127.0.0.1:${port}/v1`, tokens, ...usedBy(local.pid) };
}

export async function openStage(callers: number): Promise<Stage> {
  await using ends = new AsyncDisposableStack();
  const folder = await benchFolder(ends, 'gateway');
  const upstream = await startUpstream(callers, ends);
  const stores = await startStores(ends, folder);
  const place = { folder, stores, upstream: upstream.url, callers, ends };
  const litellm = await startLitellm(place);
  const floor = await startFloor(place);
  const hamlet = await startHamlet(place);
  const opened = ends.move();
  return { upstream, floor, hamlet, litellm, end: () => opened.disposeAsync() };
}
