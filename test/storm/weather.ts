import { setTimeout as sleep } from 'node:timers/promises';
import type { Seeded } from '@hamlet/test/env/seeded';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startLocal } from '@hamlet/dev';

const execute = promisify(execFile);
const BUILD = resolve(import.meta.dirname, '../../local/cluster/build.sh');
const BUILD_OUTPUT_BYTES = 16 << 20;

/** A fault of toxiproxy, in toxiproxy's terms. */
interface Toxic {
  readonly type: 'latency' | 'bandwidth' | 'slicer' | 'timeout' | 'reset_peer' | 'limit_data' | 'slow_close';
  readonly stream: 'upstream' | 'downstream';
  /** The share of connections that the fault affects. */
  readonly toxicity: number;
  readonly attributes: Readonly<Record<string, number>>;
}

/** A connection from a program to its store on which faults can be set. */
export interface ProxiedStore {
  readonly port: number;
  add(toxic: Toxic): Promise<void>;
  /** Cuts every connection, and accepts none until `heal`. */
  down(): Promise<void>;
  /** Accepts connections again, and removes all faults. */
  heal(): Promise<void>;
}

export interface Toxiproxy {
  proxy(name: string, toPort: number): Promise<ProxiedStore>;
  stop(): Promise<void>;
}

/** Builds the program if it is missing; returns its path. */
async function program(): Promise<string> {
  await execute('bash', [BUILD, '--with', 'toxiproxy'], { maxBuffer: BUILD_OUTPUT_BYTES });
  const { stdout } = await execute('bash', [BUILD, '--print-bin']);
  return join(stdout.trim(), 'toxiproxy');
}

export async function startToxiproxy(): Promise<Toxiproxy> {
  const [file, port] = await Promise.all([program(), freePort()]);
  const url = `http://127.0.0.1:${port}`;
  const ready = (): Promise<boolean> =>
    fetch(`${url}/version`).then(
      ({ ok }) => ok,
      () => false,
    );
  const local = await startLocal({ file, args: ['-host', '127.0.0.1', '-port', String(port)], ready });

  async function ask(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`toxiproxy: ${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  return {
    proxy: async (name, toPort) => {
      const listenPort = await freePort();
      const added = new Set<string>();
      await ask('POST', '/proxies', {
        name,
        listen: `127.0.0.1:${listenPort}`,
        upstream: `127.0.0.1:${toPort}`,
        enabled: true,
      });
      return {
        port: listenPort,
        add: async (toxic) => {
          const toxicName = `${toxic.type}_${toxic.stream}`;
          if (added.has(toxicName)) return;
          added.add(toxicName);
          await ask('POST', `/proxies/${name}/toxics`, { name: toxicName, ...toxic });
        },
        down: async () => void (await ask('POST', `/proxies/${name}`, { enabled: false })),
        heal: async () => {
          for (const toxicName of added) await ask('DELETE', `/proxies/${name}/toxics/${toxicName}`);
          added.clear();
          await ask('POST', `/proxies/${name}`, { enabled: true });
        },
      };
    },
    stop: () => local.stop(),
  };
}

type Stream = Toxic['stream'];

/** Random faults whose strength the seed determines. Times in ms, rates in KB/s. */
const FAULTS: readonly ((random: Seeded, stream: Stream) => Toxic)[] = [
  (random, stream) => ({
    type: 'latency',
    stream,
    toxicity: 1,
    attributes: { latency: Math.round(random.between(5, 150)), jitter: 20 },
  }),
  (random, stream) => ({
    type: 'bandwidth',
    stream,
    toxicity: 1,
    attributes: { rate: Math.round(random.between(20, 300)) },
  }),
  (_random, stream) => ({
    type: 'slicer',
    stream,
    toxicity: 1,
    attributes: { average_size: 24, size_variation: 16, delay: 200 },
  }),
  // Drops all data without an error; after a time the connection is closed.
  (random, stream) => ({
    type: 'timeout',
    stream,
    toxicity: random.between(0.3, 1),
    attributes: { timeout: Math.round(random.between(20, 400)) },
  }),
  (random, stream) => ({
    type: 'reset_peer',
    stream,
    toxicity: random.between(0.3, 1),
    attributes: { timeout: Math.round(random.between(0, 200)) },
  }),
  // Cuts the connection in the middle of an answer or a commit.
  (random, stream) => ({
    type: 'limit_data',
    stream,
    toxicity: random.between(0.3, 1),
    attributes: { bytes: Math.round(random.between(1, 30_000)) },
  }),
];

const CALM_MS = [100, 900] as const;
const FAULT_MS = [50, 400] as const;
const DOWN_CHANCE = 0.15;
const BOTH_CHANCE = 0.2;

export interface Weather {
  readonly faults: number;
  /** Ends the faults and restores all connections. */
  end(): Promise<void>;
}

async function strike(store: ProxiedStore, random: Seeded): Promise<void> {
  if (random.chance(DOWN_CHANCE)) return store.down();
  const stream: Stream = random.chance(0.5) ? 'upstream' : 'downstream';
  const fault = random.one(FAULTS);
  if (fault !== undefined) await store.add(fault(random, stream));
}

/**
 * Starts and ends faults of stores at random until it is stopped. Postgres is affected more often than Redis,
 * sometimes both.
 */
export function startWeather(
  { postgres, redis }: { readonly postgres: ProxiedStore; readonly redis: ProxiedStore },
  random: Seeded,
): Weather {
  let faults = 0;
  const ending = new AbortController();
  const pause = (range: readonly [number, number]): Promise<void> =>
    sleep(random.between(...range), undefined, { signal: ending.signal }).catch(() => undefined);

  async function blow(): Promise<void> {
    while (!ending.signal.aborted) {
      await pause(CALM_MS);
      const struck = random.chance(BOTH_CHANCE) ? [postgres, redis] : [random.chance(0.65) ? postgres : redis];
      for (const store of struck) await strike(store, random);
      faults += struck.length;
      await pause(FAULT_MS);
      for (const store of struck) await store.heal();
    }
  }
  const blowing = blow();
  return {
    get faults() {
      return faults;
    },
    end: async () => {
      ending.abort();
      await blowing;
      await Promise.all([postgres.heal(), redis.heal()]);
    },
  };
}
