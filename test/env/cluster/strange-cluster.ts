import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { NODES, PODS, Reflector, VOLUMES, type KubeObject } from '@hamlet/kube';
import { stringify } from 'yaml';
import { testApiServer, type TestApiServer } from '../api-server.ts';
import { serviceAccountToken } from './service-account-token.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const CAPACITY = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '110' };
const TOKEN_SECONDS = 3_600;
const NODE_NAME = 'elsewhere';
/** Kubernetes declares a node lost after 40 s or more without a heartbeat. */
const HEARTBEAT_MS = 5_000;

const READY = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' };

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}
type Pod = KubeObject & {
  readonly spec: {
    readonly serviceAccountName?: string;
    readonly restartPolicy?: string;
    readonly containers: readonly Container[];
  };
  readonly status?: { readonly phase?: string };
};

/**
 * A foreign cluster: a real API server, scheduler and controllers, and one simulated node. Its pods are Ready at once;
 * the pod of a Job runs its command for real, as a process of this machine with the rights of its service account.
 */
export interface StrangeCluster {
  readonly server: TestApiServer;
  /** Output of the commands of Jobs. */
  readonly output: () => string;
  remove(): Promise<void>;
}

class Node {
  readonly #server: TestApiServer;
  readonly #pods: Reflector<Pod>;
  readonly #begun = new Set<string>();
  readonly #running = new Set<ChildProcess>();
  readonly #name: string;
  #heartbeat: NodeJS.Timeout | undefined;
  output = '';

  constructor(server: TestApiServer, name: string) {
    this.#server = server;
    this.#name = name;
    this.#pods = new Reflector<Pod>({ client: server.client, type: PODS, fieldSelector: `spec.nodeName=${name}` });
    this.#pods.cache.onChange(({ kind, object }) => {
      if (kind !== 'deleted') void this.#serve(object).catch((error: unknown) => (this.output += `${String(error)}\n`));
    });
  }

  start(): Promise<void> {
    this.#heartbeat = setInterval(() => void this.#beat().catch(() => undefined), HEARTBEAT_MS);
    return this.#pods.start();
  }

  async #beat(): Promise<void> {
    const conditions = [{ ...READY, lastHeartbeatTime: new Date().toISOString() }];
    await this.#server.client.mergePatch(
      NODES,
      { status: { conditions } },
      { name: this.#name, subresource: 'status' },
    );
  }

  async stop(): Promise<void> {
    clearInterval(this.#heartbeat);
    for (const child of this.#running) child.kill('SIGKILL');
    await this.#pods.stop();
  }

  async #serve(pod: Pod): Promise<void> {
    const { name, namespace = '', uid, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) {
      await this.#server.client.delete(PODS, { namespace, name, uid, graceSeconds: 0 });
      return;
    }
    if (this.#begun.has(uid)) return;
    this.#begun.add(uid);
    const isJob = pod.spec.restartPolicy === 'Never';
    await this.#say(pod, isJob ? 'Running' : 'Ready');
    if (isJob) await this.#say(pod, (await this.#execute(pod)) === 0 ? 'Succeeded' : 'Failed');
  }

  async #say(
    { metadata: { name, namespace }, spec }: Pod,
    what: 'Ready' | 'Running' | 'Succeeded' | 'Failed',
  ): Promise<void> {
    const ready = what === 'Ready';
    const state =
      ready || what === 'Running'
        ? { running: { startedAt: new Date().toISOString() } }
        : { terminated: { exitCode: what === 'Succeeded' ? 0 : 1 } };
    const conditions = ['Ready', 'ContainersReady', 'Initialized'].map((type) => ({
      type,
      status: ready || type === 'Initialized' ? 'True' : 'False',
      lastTransitionTime: new Date().toISOString(),
    }));
    const containerStatuses = spec.containers.map((container) => ({
      name: container.name,
      image: container.image,
      imageID: container.image,
      ready,
      restartCount: 0,
      state,
    }));
    await this.#server.client.mergePatch(
      PODS,
      { status: { phase: ready ? 'Running' : what, conditions, containerStatuses } },
      { namespace, name, subresource: 'status' },
    );
  }

  /** Runs the command of a pod's only container in the work tree, with a token of the pod's account. */
  async #execute({ metadata: { namespace = '' }, spec }: Pod): Promise<number> {
    const { command = [], env = [] } = spec.containers[0] ?? {};
    const [program = '', ...args] = command;
    const kubeconfig = join(dirname(this.#server.kubeconfig), `account-${spec.serviceAccountName}`);
    await writeFile(kubeconfig, await this.#kubeconfigOf(namespace, spec.serviceAccountName ?? 'default'));
    const own = Object.fromEntries(env.map(({ name, value }) => [name, value ?? namespace]));
    const child = spawn(program === 'node' ? process.execPath : program, args, {
      cwd: ROOT,
      env: { ...process.env, ...own, HAMLET_KUBECONFIG: kubeconfig },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    const [code] = (await once(child, 'exit')) as [number | null];
    this.#running.delete(child);
    return code ?? 1;
  }

  async #kubeconfigOf(namespace: string, account: string): Promise<string> {
    const token = await serviceAccountToken(
      this.#server.client,
      { namespace, name: account },
      { expirationSeconds: TOKEN_SECONDS },
    );
    const { stdout } = await promisify(execFile)(join(ROOT, 'local/cluster/build.sh'), ['--print-bin']);
    const view = await promisify(execFile)(
      join(stdout.trim(), 'kubectl'),
      ['config', 'view', '--raw', '--minify', '-o', 'json'],
      { env: { KUBECONFIG: this.#server.kubeconfig } },
    );
    const { clusters, contexts, ...rest } = JSON.parse(view.stdout) as {
      clusters: object[];
      contexts: { name: string; context: object }[];
    };
    const users = [{ name: account, user: { token } }];
    return stringify({
      ...rest,
      clusters,
      users,
      contexts: contexts.map(({ name, context }) => ({ name, context: { ...context, namespace, user: account } })),
    });
  }
}

/** @param architecture of the cluster's node */
export async function strangeCluster(architecture: string): Promise<StrangeCluster> {
  const server = await testApiServer('control-plane');
  const node = new Node(server, NODE_NAME);
  const remove = async (): Promise<void> => {
    await node.stop();
    await server.remove();
  };
  try {
    await furnish(server, architecture);
    await node.start();
  } catch (error) {
    await remove();
    throw error;
  }
  return { server, output: () => node.output, remove };
}

/** Creates a node, and volumes for the claims of Postgres and the api. */
async function furnish({ client }: TestApiServer, architecture: string): Promise<void> {
  await client.create(
    NODES,
    { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE_NAME, labels: { 'kubernetes.io/hostname': NODE_NAME } } },
    {},
  );
  const nodeInfo = {
    architecture,
    operatingSystem: 'linux',
    kernelVersion: '6.12',
    osImage: 'Debian',
    containerRuntimeVersion: 'containerd://2',
    kubeletVersion: 'v1.36.3',
    kubeProxyVersion: '',
    machineID: '',
    systemUUID: '',
    bootID: '',
  };
  const status = {
    capacity: CAPACITY,
    allocatable: CAPACITY,
    nodeInfo,
    conditions: [READY],
  };
  await client.mergePatch(NODES, { status }, { name: NODE_NAME, subresource: 'status' });
  for (const name of ['one', 'two', 'three']) {
    const spec = {
      capacity: { storage: '100Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: `/nowhere/${name}` },
      persistentVolumeReclaimPolicy: 'Retain',
    };
    await client.create(VOLUMES, { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec }, {});
  }
}
