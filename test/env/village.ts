import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_VERSION, type AgentDetail, type Outcome } from '@hamlet/contract';
import { KubeClient, kubeconfigConnection } from '@hamlet/kube';
import { testClient, type TestClient } from './client.ts';
import { clusterStatus, hamletCluster, program } from '../../local/village/cluster.ts';
import { tryRun, type RunResult } from '../../local/village/command.ts';
import { STATE } from '../../local/village/paths.ts';
import { until } from './until.ts';

/** The village that `make up` started, for tests. */
export interface Village {
  readonly url: string;
  readonly namespace: string;
  readonly adminToken: string;
  readonly kubeconfig: string;
  readonly admin: TestClient;
  /** Runs kubectl in the village's namespace; throws with its stderr when it fails. */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** Runs kubectl; returns its output and exit code. */
  readonly tryKubectl: (args: readonly string[], input?: string) => Promise<RunResult>;
}

interface UpFile {
  readonly url: string;
  readonly adminToken: string;
  readonly kubeconfig: string;
}

const NAMESPACE = 'hamlet';

/** The running village; without one it fails with the command to start it. */
export async function village(): Promise<Village> {
  const file = join(STATE, 'up.json');
  if (!existsSync(file)) throw new Error('no village is up: make up');
  const { url, adminToken, kubeconfig } = JSON.parse(readFileSync(file, 'utf8')) as UpFile;
  const path = await program('kubectl');
  const tryKubectl: Village['tryKubectl'] = (args, input) =>
    tryRun(path, ['--namespace', NAMESPACE, ...args], {
      env: { KUBECONFIG: kubeconfig },
      ...(input === undefined ? {} : { input }),
    });
  return {
    url,
    namespace: NAMESPACE,
    adminToken,
    kubeconfig,
    admin: testClient({ baseUrl: url, token: adminToken }),
    tryKubectl,
    kubectl: async (args, input) => {
      const { code, stdout, output } = await tryKubectl(args, input);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with code ${code}: ${output}`);
      return stdout.trimEnd();
    },
  };
}

/** One object of the API server; undefined when it does not exist. */
export async function getObject<T>({ tryKubectl }: Village, kind: string, name: string): Promise<T | undefined> {
  const { code, stdout } = await tryKubectl(['get', kind, name, '-o', 'json', '--ignore-not-found']);
  return code === 0 && stdout.trim() !== '' ? (JSON.parse(stdout) as T) : undefined;
}

/** The agent as the API describes it; undefined when the API does not know it. */
export async function agentOf({ admin }: Village, name: string): Promise<AgentDetail | undefined> {
  const outcome = await admin.raw.getAgent({ agent_id: name });
  return outcome.ok ? outcome.data : undefined;
}

export async function namesInWorld({ admin }: Village): Promise<readonly string[]> {
  return (await admin.getWorld()).agents.map((agent) => agent.agent_id);
}

/** Waits until the agent's resident is connected and the agent Ready. */
export async function untilReady(place: Village, name: string, capMs?: number): Promise<AgentDetail> {
  const probe = async (): Promise<AgentDetail | undefined> => {
    const agent = await agentOf(place, name);
    // An agent can be online a moment before the operator has written its first status.
    return agent?.why.ready === true && agent.status.online && agent.pod !== null ? agent : undefined;
  };
  return until(`${name} is Ready and online`, probe, capMs === undefined ? {} : { capMs });
}

const DESTINATIONS = ['square', 'board'] as const;
/** Time after which an agent that has not moved is sent again: at night its next turn sends it back to bed. */
const SEND_AGAIN_MS = 5_000;

/** Sends the agent to a landmark and waits until it moves. By day agents also walk on their own. */
export async function untilMoves(place: Village, name: string): Promise<void> {
  const before = await agentOf(place, name);
  let [sent, againMs] = [0, 0];
  await until(`${name} moves`, async () => {
    const now = await agentOf(place, name);
    if (now !== undefined && (now.position.x !== before?.position.x || now.position.y !== before.position.y))
      return true;
    if (performance.now() < againMs) return undefined;
    const landmark_id = DESTINATIONS[sent++ % DESTINATIONS.length] ?? DESTINATIONS[0];
    const outcome = await place.admin.raw.moveAgent({ agent_id: name, landmark_id });
    againMs = outcome.ok ? performance.now() + SEND_AGAIN_MS : 0;
    return undefined;
  });
}

/** Applies an Agent with defaults for missing fields. */
export async function applyAgent({ kubectl }: Village, name: string, spec: object = {}): Promise<void> {
  const manifest = {
    apiVersion: API_VERSION,
    kind: 'Agent',
    metadata: { name },
    spec: { loop: { every: '5s' }, memory: { size: '64Mi' }, ...spec },
  };
  await kubectl(['apply', '-f', '-'], JSON.stringify(manifest));
}

/** Deletes Agents and waits until they are gone; ignores missing ones. */
export async function deleteAgents({ tryKubectl }: Village, names: readonly string[]): Promise<void> {
  await tryKubectl(['delete', 'agents', ...names, '--ignore-not-found', '--timeout=90s']);
}

/** The names of an agent's pods, one a line; empty without a pod. */
export const podsOf = ({ kubectl }: Village, agent: string): Promise<string> =>
  kubectl(['get', 'pods', '-l', `hamlet.village/agent=${agent}`, '-o', 'name']);

export const setPower = ({ kubectl }: Village, agent: string, power: 'Awake' | 'Asleep'): Promise<string> =>
  kubectl(['patch', 'agent', agent, '--type=merge', '-p', JSON.stringify({ spec: { power } })]);

/** True if a new socket shows the world in time. */
export async function showsWorld({ url }: Village, timeoutMs: number): Promise<boolean> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/world?format=json`);
  try {
    return await new Promise<boolean>((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(String(data).includes('world_state')));
      socket.addEventListener('error', () => resolve(false));
      setTimeout(() => resolve(false), timeoutMs).unref();
    });
  } finally {
    socket.close();
  }
}

/** Identifies one run of a pod's container. */
export interface ContainerRun {
  readonly id: string;
  readonly restarts: number;
}

interface ContainerStatus {
  readonly name: string;
  readonly containerID: string;
  readonly restartCount: number;
}

async function statusOfContainer({ kubectl }: Village, pod: string, name: string): Promise<ContainerStatus> {
  const statuses = JSON.parse(
    await kubectl(['get', 'pod', pod, '-o', 'jsonpath={.status.containerStatuses}']),
  ) as readonly ContainerStatus[];
  const found = statuses.find((status) => status.name === name) ?? (statuses.length === 1 ? statuses[0] : undefined);
  if (found === undefined) throw new Error(`${pod} has no container ${name}`);
  return found;
}

/** The current run of an agent's hands, or of a pod's only container. */
export async function containerOf(place: Village, pod: string, name = 'hands'): Promise<ContainerRun> {
  const { containerID: id, restartCount: restarts } = await statusOfContainer(place, pod, name);
  return { id, restarts };
}

/** A client of the cluster for frequent reads; the caller closes it. */
export async function kubeClient({ kubeconfig }: Village): Promise<KubeClient> {
  return new KubeClient(await kubeconfigConnection(kubeconfig));
}

/** The data of an answer; throws with the problem of a refusal. */
export function dataOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.data;
  throw new Error(`${outcome.problem.code}: ${outcome.problem.detail}`);
}

/** Kills a component of the cluster with SIGKILL; its supervisor starts it again. */
export async function killComponent(component: string, node?: string): Promise<void> {
  await hamletCluster(['kill', component, ...(node === undefined ? [] : [node])]);
}

export async function nodeAddress({ kubectl }: Village, node: string): Promise<string> {
  return kubectl(['get', 'node', node, '-o', 'jsonpath={.status.addresses[?(@.type=="InternalIP")].address}']);
}

/** Process id, on this machine, of the main process of a container: by default the resident, or a pod's only one. */
export async function mainProcessOf(place: Village, pod: string, name = 'resident'): Promise<number> {
  const status = await clusterStatus();
  const node = await place.kubectl(['get', 'pod', pod, '-o', 'jsonpath={.spec.nodeName}']);
  const id = (await statusOfContainer(place, pod, name)).containerID.replace('containerd://', '');
  const socket = join(status?.spec.state ?? '', 'nodes', node, 'containerd.sock');
  const { stdout } = await tryRun(await program('ctr'), ['-a', socket, '-n', 'k8s.io', 'task', 'ls']);
  const pid = Number(
    stdout
      .split('\n')
      .find((line) => line.startsWith(id))
      ?.trim()
      .split(/\s+/)[1],
  );
  if (!(pid > 1)) throw new Error(`no process of ${pod} on ${node}`);
  return pid;
}
