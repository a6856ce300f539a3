import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Connection, KubeObject, NewObject } from '@hamlet/kube';
import { KubeClient, kubeconfigConnection, NAMESPACES, NODES, SERVICE_ACCOUNTS } from '@hamlet/kube';
import { CRDS } from '@hamlet/test/env/api-server';
import { parse } from 'yaml';
import { cpuSecondsOf } from '../programs.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Concurrent requests of the creator, like 32 kubectl processes. */
export const HANDS = 32;
const STAGES = join(import.meta.dirname, 'kwok-stages.yaml');
const KWOK_PRIORITY = -10;
/** The same duration as a kubelet's Lease. By default kwok renews no Lease, so a run of more than 50 s would lose its nodes. */
const NODE_LEASE_SECONDS = 40;
/** Timeout of each wait; only a failure takes longer. */
export const CAP_MS = 1_800_000;
const BUILD_OUTPUT_BYTES = 64 << 20;

const execute = promisify(execFile);

export type CpuSeconds = Readonly<Record<string, number>>;

/**
 * An API server, scheduler and controllers, with simulated nodes. Each case gets a new control plane, so that no case
 * inherits work from another.
 */
export interface ControlPlane {
  /** A folder of this control plane, removed with it. */
  readonly folder: string;
  readonly kubeconfig: string;
  readonly connection: Connection;
  readonly client: KubeClient;
  readonly namespace: string;
  /** CPU that each process of the control plane has used so far, in seconds. */
  cpuSeconds(): Promise<CpuSeconds>;
  end(): Promise<void>;
}

/** Builds the missing programs and returns the path of their folder. */
export async function programs(): Promise<string> {
  const build = join(ROOT, 'local/cluster/build.sh');
  await execute(build, ['--with', 'kwok'], { maxBuffer: BUILD_OUTPUT_BYTES });
  const { stdout } = await execute(build, ['--with', 'kwok', '--print-bin']);
  return stdout.trim();
}

/** Runs `task` for every number below `count`, `HANDS` at a time. */
export async function inParallel(count: number, task: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const hand = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await task(index);
  };
  await Promise.all(Array.from({ length: HANDS }, hand));
}

function simulatedNode(index: number): NewObject {
  const name = `kwok-${index}`;
  const capacity = { cpu: '32', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '110' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, type: 'kwok' },
      annotations: { 'kwok.x-k8s.io/node': 'fake', 'node.alpha.kubernetes.io/ttl': '0' },
    },
    status: { allocatable: capacity, capacity },
  } as NewObject;
}

async function furnish(client: KubeClient, namespace: string, nodes: number): Promise<void> {
  const folder = join(ROOT, 'crds/bases');
  for (const file of await readdir(folder))
    await client.apply(CRDS, parse(await readFile(join(folder, file), 'utf8')) as NewObject, { fieldManager: 'bench' });
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, {});
  await client.create(
    SERVICE_ACCOUNTS,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'hamlet-agent' } },
    { namespace },
  );
  await inParallel(nodes, (index) => client.create(NODES, simulatedNode(index), {}));
}

type NodeObject = KubeObject & {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

const isReady = ({ status }: NodeObject): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

async function nodesReady(client: KubeClient, nodes: number): Promise<void> {
  const endMs = performance.now() + CAP_MS;
  for (let ready = 0; ready < nodes;) {
    if (performance.now() > endMs) throw new Error(`only ${ready} of ${nodes} nodes are ready`);
    const { items } = await client.list<NodeObject>(NODES, {});
    ready = items.filter(isReady).length;
    await new Promise((resolvePause) => setTimeout(resolvePause, 250));
  }
}

async function startKwok(bin: string, kubeconfig: string, log: string): Promise<ChildProcess> {
  const output = await open(log, 'w');
  const kwok = spawn(
    join(bin, 'kwok'),
    [
      '--kubeconfig',
      kubeconfig,
      '--config',
      STAGES,
      '--manage-all-nodes=false',
      '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
      `--node-lease-duration-seconds=${NODE_LEASE_SECONDS}`,
    ],
    {
      stdio: ['ignore', output.fd, output.fd],
    },
  );
  kwok.once('exit', () => void output.close());
  // Without CPU kwok would miss the heartbeats of its nodes, and the nodes' pods would be evicted.
  setPriority(kwok.pid ?? 0, KWOK_PRIORITY);
  return kwok;
}

export function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolveExit) => {
    child.once('exit', () => resolveExit());
    child.kill('SIGTERM');
  });
}

async function usedCpu(hamletCluster: string, state: string): Promise<CpuSeconds> {
  const { stdout } = await execute(hamletCluster, ['status', '--json', '--state', state]);
  const { components } = JSON.parse(stdout) as {
    components: readonly { readonly name: string; readonly pid: number }[];
  };
  return Object.fromEntries(components.map(({ name, pid }) => [name, cpuSecondsOf({ pid })]));
}

/** The programs and the folder of a run. */
export interface Site {
  readonly bin: string;
  /** Folder of the run, with a folder for each control plane. */
  readonly folder: string;
}

/** Starts the control plane and waits until all nodes are ready. */
export async function startControlPlane({ bin, folder: runFolder }: Site, nodes: number): Promise<ControlPlane> {
  const folder = await mkdtemp(join(runFolder, 'plane-'));
  await chmod(folder, 0o755);
  const state = join(folder, 'state');
  const hamletCluster = join(bin, 'hamlet-cluster');
  await execute(hamletCluster, [
    'up',
    '--profile',
    'control-plane',
    '--state',
    state,
    '--name',
    `b-${basename(folder).slice(-6).toLowerCase()}`,
  ]);
  const kubeconfig = join(state, 'kubeconfig');
  const connection = await kubeconfigConnection(kubeconfig);
  const client = new KubeClient(connection, { limits: { perSecond: 100_000, burst: 100_000, inFlight: HANDS } });
  const namespace = 'village';
  await furnish(client, namespace, nodes);
  const kwok = await startKwok(bin, kubeconfig, join(folder, 'kwok.log'));
  await nodesReady(client, nodes);
  return {
    folder,
    kubeconfig,
    connection,
    client,
    namespace,
    cpuSeconds: () => usedCpu(hamletCluster, state),
    end: async () => {
      await client.close();
      await endProcess(kwok);
      await execute(hamletCluster, ['down', '--state', state]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
