import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort, probe, startLocal, type LocalProcess } from './local-process.ts';

export interface LocalRedis {
  readonly url: string;
  readonly port: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
}

function redisServer(): string {
  const inPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'redis-server'));
  const candidates = [process.env['HAMLET_REDIS_SERVER'] ?? '', ...inPath, '/usr/bin/redis-server'];
  const found = candidates.find((file) => existsSync(file));
  if (found === undefined)
    throw new Error(
      'redis-server is not installed. Fix: apt-get install redis-server, or set HAMLET_REDIS_SERVER to its path',
    );
  return found;
}

/** A Redis server without persistence, because nothing that the village stores in it must survive a restart. */
export async function startRedis(
  options: { readonly port?: number; readonly databases?: number } = {},
): Promise<LocalRedis> {
  const port = options.port ?? (await freePort());
  const file = redisServer();
  const memoryOnly = [
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    '/tmp',
    '--databases',
    String(options.databases ?? 16),
  ];
  const args = ['--port', String(port), '--bind', '127.0.0.1', ...memoryOnly, '--loglevel', 'warning'];
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
