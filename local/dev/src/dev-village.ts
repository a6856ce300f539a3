import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient, getAgent, getLivez } from '@hamlet/contract';
import { type DevFile, type DevFolder, ROOT, writePrivate } from './dev-folder.ts';
import { freePort, startLocal } from './local-process.ts';
import { type ChosenModel, configOf, MODEL_CREDENTIAL, withoutModelKey } from './model-choice.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const execute = promisify(execFile);
const API_MAIN = join(ROOT, 'api/server/src/main.ts');

export interface DevVillage {
  readonly file: DevFile;
  stop(): Promise<void>;
}

function asRole(url: string, role: string): string {
  const changed = new URL(url);
  changed.username = role;
  changed.password = role;
  return changed.href;
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}${getLivez.path}`).then(
    (response) => response.ok,
    () => false,
  );
}

/** The folder of the built web; null if the web is not built. */
export function builtWeb(): string | null {
  const folder = join(ROOT, 'web/dist');
  return existsSync(join(folder, 'index.html')) ? folder : null;
}

/** Runs the migrations in a separate process, like the init container of a village: the api never has the owner's password. */
async function migrate(appUrl: string, ownerUrl: string): Promise<void> {
  await execute(process.execPath, [API_MAIN, '--migrate'], {
    cwd: ROOT,
    env: { ...withoutModelKey(process.env), HAMLET_POSTGRES_URL: appUrl, HAMLET_POSTGRES_OWNER_URL: ownerUrl },
  });
}

/** The api's variables for a language model; its key is in a file that only its owner can read. */
function modelVariables({ modelKeys }: DevFolder, model: ChosenModel | null): Readonly<Record<string, string>> {
  const file = join(modelKeys, MODEL_CREDENTIAL);
  if (model?.key === null || model === null) rmSync(file, { force: true });
  else writePrivate(file, model.key);
  return model === null ? {} : { HAMLET_MODELS: JSON.stringify(configOf(model)), HAMLET_MODEL_KEYS_DIR: modelKeys };
}

export interface DevOptions {
  readonly port: number | null;
  readonly residents: boolean;
  readonly model?: ChosenModel | null;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Starts Postgres, Redis and the api on loopback, and writes `.hamlet/dev.json`. A start that fails leaves no process behind. */
export async function startDevVillage(folder: DevFolder, options: DevOptions): Promise<DevVillage> {
  const started = new AsyncDisposableStack();
  try {
    const file = await start(folder, options, started);
    return { file, stop: () => started.disposeAsync() };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

/** Starts each part, and adds its end to the stack, which ends the parts in reverse order. */
async function start(
  folder: DevFolder,
  { port: asked, residents, model = null, variables }: DevOptions,
  started: AsyncDisposableStack,
): Promise<DevFile> {
  const redis = await startRedis();
  started.defer(() => redis.stop());
  const postgres = await startPostgres({ dataDir: folder.postgresData });
  started.defer(() => postgres.stop());
  const port = asked ?? (await freePort());
  const url = `http://localhost:${port}`;
  const web = builtWeb();
  const appUrl = asRole(postgres.url(), 'app');
  await migrate(appUrl, postgres.url());
  const api = await startLocal({
    file: process.execPath,
    args: [API_MAIN],
    options: {
      cwd: ROOT,
      env: {
        ...withoutModelKey(process.env),
        ...modelVariables(folder, model),
        HAMLET_POSTGRES_URL: appUrl,
        HAMLET_REDIS_URL: redis.url,
        HAMLET_PEOPLE_LISTEN: `127.0.0.1:${port}`,
        HAMLET_METRICS_LISTEN: '127.0.0.1:0',
        HAMLET_AGENT_SOURCE: 'samples',
        HAMLET_SAMPLES_DIR: join(ROOT, 'crds/samples'),
        HAMLET_API_KEYS_FILE: folder.apiKeysFile,
        HAMLET_BOOTSTRAP_CODE_FILE: folder.bootstrapCodeFile,
        HAMLET_LOG_DIR: folder.sealedLog,
        HAMLET_CREDENTIAL_KEYS_DIR: folder.credentialKeys,
        ...(web === null ? {} : { HAMLET_WEB_DIR: web }),
        ...variables,
      },
    },
    ready: () => answers(url),
    onOutput: (text) => process.stdout.write(text),
  });
  started.defer(() => api.stop());
  if (residents) started.defer(keepResidents(folder, url));
  const file = villageFile(folder, { url, postgresUrl: postgres.url(), redisUrl: redis.url });
  started.defer(() => rmSync(folder.file, { force: true }));
  writePrivate(folder.file, `${JSON.stringify(file, null, 2)}\n`);
  return file;
}

function villageFile(
  { secrets: { adminToken, memberToken, agentTokens }, sealedLog }: DevFolder,
  urls: Pick<DevFile, 'url' | 'postgresUrl' | 'redisUrl'>,
): DevFile {
  return { ...urls, adminToken, memberToken, agentTokens, sealedLog, pid: process.pid };
}

const LOOK_EVERY_MS = 500;

/** Replaces the operator: runs one resident process for each sample agent that is awake, and a new process for each cycle. */
function keepResidents(folder: DevFolder, url: string): () => Promise<void> {
  const stopping = new AbortController();
  const children = new Set<ChildProcess>();

  function start(agentId: string, token: string): ChildProcess {
    const home = folder.resident(agentId);
    const child = spawn(process.execPath, [join(ROOT, 'agent-image/resident/src/main.ts')], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...withoutModelKey(process.env),
        HAMLET_API_URL: url,
        HAMLET_AGENT_ID: agentId,
        HAMLET_AGENT_TOKEN: token,
        HAMLET_STATE_DIR: home,
        HAMLET_MEMORY_DIR: home,
        HAMLET_WORKSPACE_DIR: home,
        HAMLET_SKILLS_DIR: join(ROOT, 'agent-image/skills'),
      },
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  }

  async function keep(agentId: string, token: string): Promise<void> {
    const client = createClient({ baseUrl: url, token });
    while (!stopping.signal.aborted) {
      const agent = await client.call(getAgent, { params: { agent_id: agentId } }).catch(() => null);
      if (agent?.ok === true && agent.data.power === 'Awake') await once(start(agentId, token), 'exit');
      await sleep(LOOK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const kept = Object.entries(folder.secrets.agentTokens).map(([agentId, token]) => keep(agentId, token));
  return async () => {
    stopping.abort();
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(kept);
  };
}
