import { fork } from 'node:child_process';
import { join } from 'node:path';
import { startPostgres, startRedis } from '@hamlet/dev';
import { migrate } from '@hamlet/store';
import { benchFolder, asApp, createDatabase } from '../stores.ts';
import type { FromServer } from '../world/ipc.ts';
import { FULL } from '../world/setting.ts';

const SERVER = join(import.meta.dirname, '../world/hamlet-server.ts');
/** Agents that walk, on a map that a window shows whole with figures that have arms and legs. */
export const WALKERS = 1_000;
export const MAP_SIDE = 50;

/** Starts the API of a village in which all agents walk, which serves the web. Returns its address. */
export async function startWalkingVillage(ends: AsyncDisposableStack, webDir: string): Promise<string> {
  const folder = await benchFolder(ends, 'web');
  const postgres = await startPostgres({ dataDir: join(folder, 'data'), durability: 'fast' });
  ends.defer(() => postgres.stop());
  const redis = await startRedis();
  ends.defer(() => redis.stop());
  const url = await createDatabase(postgres, 'walking');
  await migrate({ ownerUrl: url, appUrl: asApp(url) });
  const stores = { postgresUrl: asApp(url), redisUrl: redis.url };
  const setting = { ...FULL, agents: WALKERS, mapSide: MAP_SIDE, stores, webDir };
  const child = fork(SERVER, [JSON.stringify(setting)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  process.once('exit', () => child.kill('SIGKILL'));
  ends.defer(() => void child.kill('SIGKILL'));
  return new Promise((done, fail) => {
    child.once('message', (message: FromServer) => {
      if (message.type === 'ready') done(`http://127.0.0.1:${message.port}`);
    });
    child.once('exit', (code) => fail(new Error(`the API of the village ended with code ${String(code)}`)));
  });
}
