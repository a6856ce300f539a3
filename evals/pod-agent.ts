/** An agent of a running village for one attempt: a pod of its own, which ends with the attempt. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  API_VERSION,
  createClient,
  dataOf,
  deleteModelCredential,
  getAgent,
  putModelCredential,
  rewardAgent,
} from '@hamlet/contract';
import type { Client } from '@hamlet/contract';
import { Failure } from '../local/village/failure.ts';
import { kubectl, localPlace, tryKubectl, type Place } from '../local/village/kubectl.ts';
import { STATE } from '../local/village/paths.ts';
import type { AttemptPorts } from './attempt.ts';
import { handsBy } from './hands.ts';
import type { ReachableModel } from './reachable-model.ts';
import type { EvalSettings } from './settings.ts';

const READY_MS = 300_000;
const PAUSE_MS = 1_000;
const CREDENTIAL = 'eval';

export interface RunningVillage {
  readonly client: Client;
  readonly place: Place;
}

/** The village of `make up`, or with `current` that of kubectl's context, by HAMLET_URL and HAMLET_TOKEN. */
export async function openVillage(settings: EvalSettings): Promise<RunningVillage> {
  const { CLUSTER, NAMESPACE: namespace, HAMLET_URL: baseUrl, HAMLET_TOKEN: token } = settings;
  if (CLUSTER === 'current') {
    const place = { kubectl: 'kubectl', helm: 'helm', kubeconfig: undefined, namespace };
    return { client: createClient({ baseUrl, token }), place };
  }
  const file = join(STATE, 'up.json');
  if (!existsSync(file))
    throw new Failure('no village with hands is running', 'make up; agents of make dev have no container to work in');
  const up = JSON.parse(readFileSync(file, 'utf8')) as { url: string; adminToken: string };
  return { client: createClient({ baseUrl: up.url, token: up.adminToken }), place: await localPlace(namespace) };
}

export interface PodAgentOptions extends RunningVillage {
  /** aiDollars that it begins with; they decide its tier. */
  readonly money: string;
  /** Null keeps the models of the village. */
  readonly model: ReachableModel | null;
  readonly signal: AbortSignal;
}

/** The village life of the agent is paused, because a turn in the middle of a task costs tokens and time. */
const manifestOf = (name: string): string =>
  JSON.stringify({
    apiVersion: API_VERSION,
    kind: 'Agent',
    metadata: { name },
    spec: { displayName: 'Eval', runtime: { name: 'engine' }, loop: { every: '1h' } },
  });

async function until<T>(what: string, signal: AbortSignal, look: () => Promise<T | null>): Promise<T> {
  const end = performance.now() + READY_MS;
  while (performance.now() < end) {
    const found = await look();
    if (found !== null) return found;
    await sleep(PAUSE_MS, undefined, { signal });
  }
  throw new Error(`${what}: not within ${READY_MS / 1_000} s`);
}

/** Gives only this agent the model under test. The API learns of an Agent a moment after the cluster. */
async function connect(agentId: string, { client, model, signal }: PodAgentOptions): Promise<void> {
  if (model === null) return;
  const models = ['small', 'large'].map((name) => ({ name, ...model.offer }));
  const body = { name: CREDENTIAL, agent_id: agentId, models, ...model.server };
  await until(`the API knows ${agentId}`, signal, async () => {
    const put = await client.call(putModelCredential, { body });
    if (put.ok || put.problem.code === 'no_such_agent') return put.ok ? true : null;
    throw new Failure(`the village refused the model: ${put.problem.detail}`);
  });
}

/** Creates an Agent with hands, and waits until it is online. `close` deletes it with its volume and its model. */
export async function openPodAgent(options: PodAgentOptions) {
  const { client, place } = options;
  const agentId = `eval-${Date.now().toString(36)}`;
  const params = { agent_id: agentId };
  const close = async (): Promise<void> => {
    const credential = { params: { name: CREDENTIAL }, query: params };
    await client.call(deleteModelCredential, credential).catch(() => undefined);
    await tryKubectl(place, ['delete', 'agent', agentId, '--ignore-not-found', '--wait=false']);
  };
  const pod = (): Promise<string> =>
    until(`${agentId} is ready`, options.signal, async () => {
      const agent = await client.call(getAgent, { params });
      return agent.ok && agent.data.why.ready && agent.data.status.online ? agent.data.pod : null;
    });
  try {
    await kubectl(place, ['apply', '-f', '-'], { input: manifestOf(agentId) });
    await connect(agentId, options);
    await pod();
    if (Number(options.money) > 0)
      await dataOf(client.call(rewardAgent, { body: { ...params, amount: options.money, reason: 'For an eval' } }));
  } catch (error) {
    await close();
    throw error;
  }
  const prefix = async (): Promise<readonly string[]> => [
    place.kubectl,
    ...`--namespace ${place.namespace} exec -i ${await pod()} -c hands --`.split(' '),
  ];
  const hands = handsBy(prefix, place.kubeconfig === undefined ? {} : { KUBECONFIG: place.kubeconfig });
  return { agentId, hands, workspace: '/workspace', close } satisfies Partial<AttemptPorts> & { close: unknown };
}
