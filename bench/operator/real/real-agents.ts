/** Agents of the bench in a village with other agents: tiers that no other balance reaches, and money that is returned. */
import { API_VERSION, penalizeAgent, rewardAgent } from '@hamlet/contract';
import { PODS, type KubeObject, type NewObject } from '@hamlet/kube';
import { AGENTS, ENTITLEMENTS } from '@hamlet/operator';
import { until } from '@hamlet/test/env/until';
import { dataOf } from '@hamlet/test/env/village';
import { inParallel } from '../control-plane.ts';
import { BENCH_LABEL, type RealVillage } from './real-village.ts';

/** A long limit, because many small pods start on few cores. */
const READY_CAP_MS = 300_000;
/** The price of one step, in aiDollars: more than any other agent has. */
const STEP = '1000000';
export const SMALL = { cpu: '80m', memory: '192Mi' };
export const LARGER = { cpu: '100m', memory: '256Mi' };

const LABELS = { [BENCH_LABEL]: 'real' };
const LIMITS = { requestsPerMinute: 600, concurrentTools: 1, tokensPerHour: 20_000 };

/**
 * A tier above those of the chart, so that a balance that reaches it opens no other. It displaces no agent, since
 * every agent has a seat.
 */
const tier = (
  name: string,
  rank: number,
  spec: { readonly minBalance: string; readonly resources: typeof SMALL },
): NewObject =>
  ({
    apiVersion: API_VERSION,
    kind: 'Entitlement',
    metadata: { name, labels: LABELS },
    spec: { rank, minBalance: spec.minBalance, limits: LIMITS, compute: { resources: spec.resources } },
  }) as NewObject;

const TIERS = [
  tier('bench-small', 901, { minBalance: STEP, resources: SMALL }),
  tier('bench-larger', 902, { minBalance: String(2 * Number(STEP)), resources: LARGER }),
];

const agent = (name: string): NewObject =>
  ({
    apiVersion: API_VERSION,
    kind: 'Agent',
    metadata: { name, labels: LABELS },
    // Long pauses between turns: the bench measures the village, not the turns.
    spec: { displayName: name, power: 'Asleep', loop: { every: '10m' }, memory: { size: '64Mi' } },
  }) as NewObject;

/** Gives or takes one step; resolves with the time of the entry (milliseconds since 1970). */
export async function step(
  { place }: RealVillage,
  name: string,
  route: typeof rewardAgent | typeof penalizeAgent,
): Promise<number> {
  const entry = dataOf(await place.admin.call(route, { body: { agent_id: name, amount: STEP, reason: 'bench' } }));
  return Date.parse(entry.timestamp);
}

type Tier = KubeObject & { readonly status?: { readonly seats?: { readonly free: number } } };

/** Creates the tiers. Fails if the nodes lack seats for all agents, since other agents would lose their seats. */
export async function createRealTiers({ client, namespace }: RealVillage, seats: number): Promise<void> {
  for (const each of TIERS) await client.create(ENTITLEMENTS, each, { namespace });
  const free = await until(
    'the seats of the larger tier',
    async () => (await client.get<Tier>(ENTITLEMENTS, { namespace, name: 'bench-larger' })).status?.seats?.free,
  );
  if (free < seats)
    throw new Error(
      `the nodes have ${free} of ${seats} seats of ${LARGER.cpu} and ${LARGER.memory}: put other agents to sleep`,
    );
}

type Living = KubeObject & {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

const isReady = ({ status }: Living): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

/** Creates the agents asleep, gives each the balance of its tier, awakens them, and waits until all are in the world. */
export async function createRealAgents(village: RealVillage, names: readonly string[]): Promise<void> {
  const { client, namespace } = village;
  const nameAt = (index: number): string => names[index] ?? '';
  await inParallel(names.length, async (index) => {
    await client.create(AGENTS, agent(nameAt(index)), { namespace });
    await until(`money for ${nameAt(index)}`, () => step(village, nameAt(index), rewardAgent));
    await client.mergePatch(AGENTS, { spec: { power: 'Awake' } }, { namespace, name: nameAt(index) });
  });
  const ready = async (): Promise<boolean> => {
    const { items } = await client.list<Living>(AGENTS, { namespace, query: { labelSelector: BENCH_LABEL } });
    return items.filter(isReady).length === names.length;
  };
  await until(`${names.length} agents are Ready`, ready, { capMs: READY_CAP_MS, pauseMs: 500 });
}

type LivePod = KubeObject & {
  readonly spec: {
    readonly volumes: readonly { readonly name: string }[];
    readonly containers: readonly object[];
  } & Readonly<Record<string, unknown>>;
};

/** A pod without an agent, with the spec of an agent's pod except for the volume. It sleeps until SIGTERM. */
export async function barePodLike(
  { client, namespace }: RealVillage,
  agentPod: string,
  name: string,
): Promise<NewObject> {
  const { spec } = await client.get<LivePod>(PODS, { namespace, name: agentPod });
  const { nodeName: _node, ...rest } = spec;
  const volumes = spec.volumes.map((volume) => (volume.name === 'home' ? { name: 'home', emptyDir: {} } : volume));
  const containers = spec.containers.map((container) => ({ ...container, command: ['sleep', '3600'] }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: LABELS },
    spec: { ...rest, volumes, containers, terminationGracePeriodSeconds: 1 },
  } as NewObject;
}
