import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort, probe, startLocal } from './local-process.ts';
import type { LocalProcess } from './local-process.ts';

export interface LocalRedis {
  readonly url: string;
  readonly port: number;
  /** Ends it, with what it held. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port, empty. */
  start(): Promise<void>;
}

function redisServer(): string {
  const named = process.env['HAMLET_REDIS_SERVER'];
  const candidates = [
    ...(named === undefined ? [] : [named]),
    ...(process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'redis-server')),
    '/usr/bin/redis-server',
  ];
  const found = candidates.find((file) => existsSync(file));
  if (found === undefined)
    throw new Error(
      'redis-server is not installed. Fix: apt-get install redis-server, or set HAMLET_REDIS_SERVER to its path',
    );
  return found;
}

/** A Redis that keeps nothing on disk, as the village uses it: fan-out only. */
export async function startRedis(options: { readonly port?: number } = {}): Promise<LocalRedis> {
  const port = options.port ?? (await freePort());
  const file = redisServer();
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    '/tmp',
    '--loglevel',
    'warning',
  ];
  const ready = async (): Promise<boolean> => (await probe(port, 'PING\r\n'))?.toString().startsWith('+PONG') ?? false;
  const launch = (): Promise<LocalProcess> => startLocal({ file, args, ready });
  let server = await launch();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    stop: (signal) => server.stop(signal),
    start: async () => {
      server = await launch();
    },
  };
}
