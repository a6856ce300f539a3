import { startRedis, type LocalRedis } from '@hamlet/dev';
import { Redis } from 'ioredis';
import { REDIS_DATABASES, useServers } from '../runner/servers.ts';

/** A database of a Redis for this test. */
export interface TestRedis extends Pick<LocalRedis, 'url' | 'port'> {
  /** Prefix of the channels of this database. */
  readonly scope: string;
  remove(): Promise<void>;
}

/** A server that only this test uses, so the test may kill it. */
export interface OwnRedis extends TestRedis, Pick<LocalRedis, 'stop' | 'start'> {}

/** An empty database of the Redis that all test files share. */
export async function testRedis(): Promise<TestRedis> {
  const { redisPort: port, release } = await useServers();
  const client = new Redis(port, '127.0.0.1');
  const number = 1 + ((await client.incr('databases')) % (REDIS_DATABASES - 1));
  await client.select(number);
  await client.flushdb();
  await client.quit();
  return { url: `redis://127.0.0.1:${port}/${number}`, port, scope: `${number}/`, remove: release };
}

/** A Redis for tests that kill it. */
export async function ownRedis(): Promise<OwnRedis> {
  const server = await startRedis();
  return { ...server, scope: '', remove: () => server.stop() };
}
