import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startPostgres, startRedis } from '@hamlet/dev';
import { migrate } from '@hamlet/store';
import { spawn } from 'node:child_process';
import { endProcess, type ControlPlane } from './control-plane.ts';
import { freePort, type ApiAccess } from './operator-process.ts';

const MAIN = resolve(import.meta.dirname, '../../api/server/src/main.ts');
const START_CAP_MS = 120_000;
const RATE_LIMIT = '100000';

/** A real API with a real Postgres and Redis, which reads its agents from the control plane. */
export interface VillageProcess {
  readonly operatorAccess: ApiAccess;
  /**
   * Gives an agent aiDollars, as an admin. Resolves with the time of the ledger entry (milliseconds since 1970), by
   * the database's clock at the start of its transaction.
   */
  reward(agentId: string, amount: string): Promise<number>;
  end(): Promise<void>;
}

async function ready(url: string): Promise<void> {
  const endMs = performance.now() + START_CAP_MS;
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > endMs) throw new Error('the api did not become ready');
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** The API's process and its address. */
async function startApi(
  plane: ControlPlane,
  folder: string,
  stores: Readonly<Record<string, string>>,
): Promise<{ readonly people: string; readonly agents: string; readonly end: () => Promise<void> }> {
  const [people, agents, metrics] = await Promise.all([freePort(), freePort(), freePort()]);
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    HAMLET_BENCH_RUN: process.env['HAMLET_BENCH_RUN'],
    HAMLET_KUBECONFIG: plane.kubeconfig,
    HAMLET_NAMESPACE: plane.namespace,
    HAMLET_PEOPLE_LISTEN: `127.0.0.1:${people}`,
    HAMLET_AGENTS_LISTEN: `127.0.0.1:${agents}`,
    HAMLET_METRICS_LISTEN: `127.0.0.1:${metrics}`,
    HAMLET_API_KEYS_FILE: join(folder, 'keys.json'),
    HAMLET_RATE_LIMIT: RATE_LIMIT,
    HAMLET_LOG_LEVEL: 'warn',
    ...stores,
  };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  await ready(`http://127.0.0.1:${metrics}/readyz`);
  return { people: `http://127.0.0.1:${people}`, agents: `http://127.0.0.1:${agents}`, end: () => endProcess(child) };
}

/** Starts the API, Postgres and Redis, with their data in the folder of the control plane. */
export async function startVillage(plane: ControlPlane): Promise<VillageProcess> {
  const folder = await mkdtemp(join(plane.folder, 'village-'));
  await chmod(folder, 0o755);
  const [adminToken, operatorToken] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')];
  const tokenFile = join(folder, 'operator-token');
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ adminToken, operatorToken }), { mode: 0o600 });
  await writeFile(tokenFile, operatorToken, { mode: 0o600 });
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durability: 'full' });
  const redis = await startRedis();
  const appUrl = postgres.url().replace('postgres:hamlet@', 'app:app@');
  await migrate({ ownerUrl: postgres.url(), appUrl });
  const api = await startApi(plane, folder, {
    HAMLET_POSTGRES_URL: appUrl,
    HAMLET_REDIS_URL: redis.url,
    HAMLET_REWARD_LIMIT: '1000000',
  });
  return {
    operatorAccess: { url: api.agents, tokenFile },
    reward: async (agentId, amount) => {
      const answer = await fetch(`${api.people}/api/v1/economy/reward`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${adminToken}`,
          'content-type': 'application/json',
          'idempotency-key': `bench-${agentId}`,
        },
        body: JSON.stringify({ agent_id: agentId, amount, reason: 'bench' }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`reward of ${agentId}: ${answer.status} ${text}`);
      return Date.parse((JSON.parse(text) as { timestamp: string }).timestamp);
    },
    end: async () => {
      await api.end();
      await redis.stop();
      await postgres.stop();
    },
  };
}
