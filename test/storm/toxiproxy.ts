import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startLocal } from '@hamlet/dev';

const execute = promisify(execFile);
const BUILD = resolve(import.meta.dirname, '../../local/cluster/build.sh');
const BUILD_OUTPUT_BYTES = 16 << 20;

/** A fault of toxiproxy, in toxiproxy's terms. */
export interface Toxic {
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

/** Starts toxiproxy. */
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
