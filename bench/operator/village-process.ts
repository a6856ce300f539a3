import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, dataOf, rewardAgent } from '@hamlet/contract';
import { freePort } from '@hamlet/dev';
import { benchFolder, startApi, startStores } from '../stores.ts';
import type { ControlPlane } from './control-plane.ts';
import type { ApiAccess } from './operator-process.ts';

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

/** Starts the API, Postgres and Redis, with their data in the folder of the control plane. */
export async function startVillage(plane: ControlPlane): Promise<VillageProcess> {
  await using ends = new AsyncDisposableStack();
  const folder = await benchFolder(ends, join(plane.folder, 'village-'));
  const [adminToken, operatorToken] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')];
  const tokenFile = join(folder, 'operator-token');
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ adminToken, operatorToken }), { mode: 0o600 });
  await writeFile(tokenFile, operatorToken, { mode: 0o600 });
  const stores = await startStores(ends, folder);
  const agents = await freePort();
  const api = await startApi(
    ends,
    { folder, stores },
    {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      HAMLET_BENCH_RUN: process.env['HAMLET_BENCH_RUN'],
      HAMLET_KUBECONFIG: plane.kubeconfig,
      HAMLET_NAMESPACE: plane.namespace,
      HAMLET_AGENTS_LISTEN: `127.0.0.1:${agents}`,
      HAMLET_REWARD_LIMIT: '1000000',
    },
  );
  const client = createClient({ baseUrl: api.url, token: adminToken });
  const opened = ends.move();
  return {
    operatorAccess: { url: `http://127.0.0.1:${agents}`, tokenFile },
    reward: async (agentId, amount) => {
      const body = { agent_id: agentId, amount, reason: 'bench' };
      return Date.parse((await dataOf(client.call(rewardAgent, { body }))).timestamp);
    },
    end: () => opened.disposeAsync(),
  };
}
