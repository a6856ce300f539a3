/**
 * Runs the broker as a separate process against a test's API. Names that the test chooses lead to servers on loopback,
 * behind a public address. Prints `port PORT` once it serves.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Authority, Broker, systemNetwork } from '@hamlet/broker';
import { HttpVillage } from '../../api/broker/src/http-village/http-village.ts';

const Setting = z.object({
  apiUrl: z.url(),
  token: z.string(),
  authority: z.object({ certificate: z.string(), key: z.string() }),
  roots: z.string(),
  /** Names of servers, and the port of loopback at which each is. */
  names: z.record(z.string(), z.int()),
  /** Kills the process when a write is permitted, before the broker sends it. */
  dieWhenPermitted: z.boolean(),
});
export type Setting = z.infer<typeof Setting>;

const PUBLIC = '93.184.215.';

async function serve(file: string): Promise<void> {
  const setting = Setting.parse(JSON.parse(readFileSync(file, 'utf8')));
  const onError = (error: unknown): void => void process.stderr.write(`${String(error)}\n`);
  const village = new HttpVillage({ baseUrl: setting.apiUrl, token: async () => setting.token, onError });
  village.start();
  if (setting.dieWhenPermitted) {
    const permit = village.permit.bind(village);
    village.permit = async (ask, signal) => {
      await permit(ask, signal);
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => undefined);
    };
  }
  const servers = Object.entries(setting.names);
  const addresses = new Map(servers.map(([name], index) => [name, `${PUBLIC}${String(index + 1)}`]));
  const ports = new Map(servers.map(([, port], index) => [`${PUBLIC}${String(index + 1)}`, port]));
  const broker = new Broker({
    village,
    authority: new Authority(setting.authority, Date.now),
    network: {
      resolve: async (name) => [addresses.get(name)].filter((address) => address !== undefined),
      dial: async (address) => {
        const port = ports.get(address);
        return port === undefined ? null : systemNetwork.dial('127.0.0.1', port);
      },
    },
    now: Date.now,
    newId: randomUUID,
    roots: setting.roots,
  });
  while (village.problem !== undefined) await sleep(20);
  broker.server.listen(0, '127.0.0.1', () => {
    const address = broker.server.address();
    if (address !== null && typeof address === 'object') process.stdout.write(`port ${String(address.port)}\n`);
  });
}

await serve(process.argv[2] ?? '');
