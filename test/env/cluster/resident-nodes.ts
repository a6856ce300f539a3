/** Nodes of a test cluster that run the resident of each pod as a process with hands, and serve figures like a kubelet. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { join, resolve } from 'node:path';
import { AGENT_LABEL } from '../../../operator/src/objects/names.ts';
import { NODES } from '@hamlet/kube';
import {
  addFiguresAccount,
  endpointOf,
  startKubelet,
} from '../../../api/server/src/figures/testing/pretend-kubelet.ts';
import type { TestAuthority } from '../../../api/server/src/money/testing/test-authority.ts';
import { fakeKubelet, type FakeKubelet, type Pod } from '../../../operator/src/testing/fake-kubelet.ts';
import type { TestApiServer } from '../api-server.ts';
import { startHands, type Hands } from '../hands/start-hands.ts';
import { serviceAccountToken } from './service-account-token.ts';

const AGENT_IMAGE = resolve(import.meta.dirname, '../../../agent-image');
const CAPACITY = { cpu: '20', memory: '121Gi', pods: '110' };
const GIB = 2 ** 30;
/** Processor use of a node without pods. */
const IDLE_CORES = 1;
const TOKEN = { audiences: ['hamlet-api'], expirationSeconds: 3_600 };

/** The use of a pod, and the percentage of each minute in which work on its node then waits for memory. */
export interface PodLoad {
  readonly cores: number;
  readonly memoryBytes: number;
  readonly memoryPressure: number;
}

interface Running {
  readonly pod: Pod;
  readonly node: string;
  readonly child: ChildProcess;
  readonly hands: Hands;
  /** Processor time until the last reading of its node, in seconds. */
  usedS: number;
}

interface Place {
  readonly kube: TestApiServer;
  readonly namespace: string;
  readonly authority: TestAuthority;
  /** Outlasts the pods, like volumes. */
  readonly folder: string;
  /** The load of an agent's pod while it runs. */
  readonly loadOf: (agentId: string) => PodLoad;
}

const agentOf = ({ metadata: { labels = {} } }: Pod): string => labels[AGENT_LABEL] ?? '';

/** A pod that runs, with its load and the processor time that it has used so far, in seconds. */
interface Metered {
  readonly pod: Pod;
  readonly load: PodLoad;
  readonly usedS: number;
}

/** The answer of a kubelet to `/stats/summary`. Pure. */
function summaryText(pods: readonly Metered[], usedS: number, now: Date): string {
  const time = now.toISOString();
  const cpuOf = (seconds: number) => ({ time, usageCoreNanoSeconds: Math.round(seconds * 1e9) });
  const taken = pods.reduce((total, { load }) => total + load.memoryBytes, 0);
  const psi = { some: { avg60: Math.max(0, ...pods.map(({ load }) => load.memoryPressure)) } };
  return JSON.stringify({
    node: {
      cpu: cpuOf(usedS),
      memory: { availableBytes: 110 * GIB - taken, psi },
      fs: { capacityBytes: 3_700 * GIB, availableBytes: 2_900 * GIB },
    },
    pods: pods.map(({ pod: { metadata }, load, usedS: seconds }) => ({
      podRef: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
      cpu: cpuOf(seconds),
      memory: { workingSetBytes: load.memoryBytes },
    })),
  });
}

/** The environment of a pod's resident, with folders of this machine instead of those of its container. */
async function environmentOf({ kube, folder }: Place, pod: Pod, hands: Hands): Promise<NodeJS.ProcessEnv> {
  const { name, namespace = '', uid } = pod.metadata;
  // A life of an agent has one volume.
  const home = join(folder, pod.metadata.ownerReferences?.[0]?.uid ?? uid);
  mkdirSync(home, { recursive: true });
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid };
  const account = { namespace, name: 'hamlet-agent' };
  const tokenFile = join(home, 'token');
  writeFileSync(tokenFile, await serviceAccountToken(kube.client, account, { ...TOKEN, boundObjectRef }));
  const given = pod.spec?.containers.find((container) => container.name === 'resident')?.env ?? [];
  return {
    ...process.env,
    ...Object.fromEntries(given.map((variable) => [variable.name, variable.value ?? ''])),
    HAMLET_TOKEN_FILE: tokenFile,
    HAMLET_STATE_DIR: home,
    HAMLET_MEMORY_DIR: home,
    HAMLET_WORKSPACE_DIR: home,
    HAMLET_SKILLS_DIR: join(AGENT_IMAGE, 'skills'),
    HAMLET_HANDS_SOCKET: hands.socket,
    HAMLET_HANDS_WORKSPACE: hands.workspace,
    HAMLET_HANDS_HOME: join(hands.workspace, '.home'),
  };
}

export class ResidentNodes {
  readonly #place: Place;
  readonly #begun = new Set<string>();
  readonly #running = new Map<string, Running>();
  readonly #nodes: { readonly kubelet: Server; readonly node: FakeKubelet }[] = [];
  readonly #read = new Map<string, { readonly atMs: number; readonly usedS: number }>();

  constructor(place: Place) {
    this.#place = place;
  }

  async add(name: string): Promise<void> {
    const { kube, authority } = this.#place;
    const kubelet = await startKubelet(authority, [name], () => ({ status: 200, text: this.#summary(name) }));
    const programs = { start: (pod: Pod) => this.#start(name, pod), end: (pod: Pod) => this.#end(pod) };
    const node = await fakeKubelet(kube.client, { name, capacity: CAPACITY, programs }, console.error);
    await kube.client.mergePatch(NODES, { status: endpointOf(kubelet) }, { name, subresource: 'status' });
    this.#nodes.push({ kubelet, node });
  }

  async remove(): Promise<void> {
    for (const { kubelet, node } of this.#nodes) {
      await node.stop();
      kubelet.close();
    }
    for (const { pod } of this.#running.values()) await this.#end(pod);
  }

  /** Adds what the pods of a node have used since the last reading. */
  #summary(node: string): string {
    const now = new Date();
    const last = this.#read.get(node) ?? { atMs: now.getTime(), usedS: 0 };
    const seconds = (now.getTime() - last.atMs) / 1_000;
    let usedS = last.usedS + seconds * IDLE_CORES;
    const pods = [...this.#running.values()].filter((running) => running.node === node);
    const metered = pods.map((running) => {
      const load = this.#place.loadOf(agentOf(running.pod));
      running.usedS += seconds * load.cores;
      usedS += seconds * load.cores;
      return { pod: running.pod, load, usedS: running.usedS };
    });
    this.#read.set(node, { atMs: now.getTime(), usedS });
    return summaryText(metered, usedS, now);
  }

  async #start(node: string, pod: Pod): Promise<void> {
    // A pod may change again before its resident runs.
    if (this.#begun.has(pod.metadata.uid)) return;
    this.#begun.add(pod.metadata.uid);
    const hands = await startHands();
    const env = await environmentOf(this.#place, pod, hands);
    const child = spawn(process.execPath, [join(AGENT_IMAGE, 'resident/src/main.ts')], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    });
    this.#running.set(pod.metadata.uid, { pod, node, child, hands, usedS: 0 });
  }

  async #end({ metadata: { uid } }: Pod): Promise<void> {
    const running = this.#running.get(uid);
    this.#running.delete(uid);
    if (running === undefined) return;
    const { child, hands } = running;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await hands.remove();
  }
}

/** Starts nodes of these names in the cluster, with the account that reads their figures. */
export async function startResidentNodes(place: Place, names: readonly string[]): Promise<ResidentNodes> {
  await addFiguresAccount(place.kube, place.namespace);
  const nodes = new ResidentNodes(place);
  for (const name of names) await nodes.add(name);
  return nodes;
}
