/** Runs the operator like its image: as a process configured by its environment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { KubeClient } from '@hamlet/kube';
import { freePort } from '@hamlet/dev';
import { adminToken } from '../env/cluster/service-account-token.ts';

const MAIN = resolve(import.meta.dirname, '../../operator/src/main.ts');
/** Longer than any run. */
const TOKEN_SECONDS = 3 * 86_400;

/** A token of the operator's account with all rights; a different test checks the rights that the operator needs. */
export const operatorToken = (client: KubeClient, namespace: string): Promise<string> =>
  adminToken(client, { namespace, name: 'hamlet-operator' }, TOKEN_SECONDS);

export interface OperatorProcessOptions {
  /** The operator's address of the API server; usually a proxy. */
  readonly server: string;
  readonly token: string;
  readonly namespace: string;
  readonly apiUrl: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The main file of another version; default: that of this work tree. */
  readonly main?: string;
}

export interface OperatorProcess {
  readonly pid: number;
  /** The whole output of the process so far. */
  readonly output: () => string;
  /** The exit code, after the process has ended; a signal counts as 128. */
  readonly ended: Promise<number>;
  /** `/metrics`, `/readyz` or `/livez`, as text. */
  read(path: string): Promise<string>;
  rssMb(): number;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM and waits until the process has ended. */
  end(): Promise<number>;
}

const kubeconfig = ({ server, token, namespace }: OperatorProcessOptions): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'operator',
    // client-node sends no token by plain HTTP without this setting.
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'operator', user: { token } }],
    contexts: [{ name: 'operator', context: { cluster: 'test', user: 'operator', namespace } }],
  });

/** Starts the process. Does not wait until it leads. */
export async function startOperatorProcess(options: OperatorProcessOptions): Promise<OperatorProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-test-operator-'));
  const file = join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig(options));
  const port = await freePort();
  const environment = {
    PATH: process.env['PATH'],
    ...(process.env['HAMLET_TEST_RUN'] === undefined ? {} : { HAMLET_TEST_RUN: process.env['HAMLET_TEST_RUN'] }),
    NODE_OPTIONS: '--max-semi-space-size=4',
    HAMLET_KUBECONFIG: file,
    HAMLET_NAMESPACE: options.namespace,
    HAMLET_API_URL: options.apiUrl,
    HAMLET_AGENT_IMAGE: 'hamlet/agent:1',
    HAMLET_USER_NAMESPACES: 'Off',
    HAMLET_METRICS_LISTEN: `127.0.0.1:${port}`,
    ...options.environment,
  };
  const child = spawn(process.execPath, [options.main ?? MAIN], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'exit').then(async ([code]) => {
    await rm(folder, { recursive: true, force: true });
    return typeof code === 'number' ? code : 128;
  });
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    read: async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).text(),
    rssMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024,
    signal: (name) => void child.kill(name),
    end: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** A figure of `/metrics`, by its name and labels as written there; 0 if it is absent. */
export function figure(metrics: string, name: string): number {
  const line = metrics.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
