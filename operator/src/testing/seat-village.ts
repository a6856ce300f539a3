import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { EntitlementStatus } from '@hamlet/contract/kinds';
import { PODS, type KubeObject, type NewObject, type ResourceType } from '@hamlet/kube';
import { until } from '@hamlet/test/env/until';
import { parseAllDocuments } from 'yaml';
import { AGENTS, ENTITLEMENTS } from '../objects/names.ts';
import { testVillage } from './test-village.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
export const GPU = 'nvidia.com/gpu';
const NODE = { cpu: '4500m', memory: '8Gi', pods: '110', [GPU]: '1' };
const PRIORITIES: ResourceType = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  plural: 'priorityclasses',
  kind: 'PriorityClass',
};

const execute = promisify(execFile);

async function priorityClasses(): Promise<readonly NewObject[]> {
  const { stdout: bin } = await execute(join(ROOT, 'local/cluster/build.sh'), ['--print-bin']);
  const { stdout } = await execute(join(bin.trim(), 'helm'), [
    'template',
    'x',
    join(ROOT, 'charts/hamlet-crds'),
    '--show-only',
    'templates/priority-classes.yaml',
  ]);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as NewObject | null)
    .filter((object) => object !== null);
}

/** The compute of a tier. */
export const size = (cpu: string, memory: string, more: object = {}): object => ({
  resources: { cpu, memory },
  ...more,
});

export const as = (tier: string): object => ({ entitlement: { policy: 'Pinned', name: tier } });

/** A pod of no agent that requests this much cpu. */
export function foreignPod(name: string, cpu: string, spec: object): NewObject {
  const container = { name: 'main', image: 'x', resources: { requests: { cpu, memory: '64Mi' } } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 0, containers: [container], ...spec },
  } as unknown as NewObject;
}

export type SeatVillage = Awaited<ReturnType<typeof seatVillage>>;

/** A test village with tiers of several sizes and two nodes that have one GPU each, and helpers for tests of seats. */
export async function seatVillage() {
  const v = await testVillage();
  const { client } = v.server;
  const { namespace } = v;
  for (const object of await priorityClasses()) await client.apply(PRIORITIES, object, { fieldManager: 'test' });
  for (const name of ['sparky1', 'sparky2']) await v.addNode(name, NODE);
  const tiers = {
    'tier-0': { rank: 0, compute: size('1', '1Gi', { priorityClassName: 'hamlet-tier-0' }) },
    'tier-1': { rank: 1, minBalance: '10', compute: size('2', '2Gi', { priorityClassName: 'hamlet-tier-1' }) },
    gpu: {
      rank: 2,
      minBalance: '100',
      compute: size('500m', '512Mi', { gpu: { mode: 'Exclusive', count: 1 }, priorityClassName: 'hamlet-tier-2' }),
    },
    claimed: {
      rank: 2,
      minBalance: '100',
      compute: size('250m', '256Mi', { gpu: { mode: 'Exclusive', claimTemplateName: 'one-gpu' } }),
    },
  };
  for (const [name, spec] of Object.entries(tiers)) await v.createTier(name, spec);
  await v.startOperator();
  const seatsOf = async (tier: string): Promise<EntitlementStatus> => {
    const { status = {} } = await client.get<KubeObject & { readonly status?: EntitlementStatus }>(ENTITLEMENTS, {
      namespace,
      name: tier,
    });
    return status;
  };
  const podsOfAgents = async (): Promise<readonly KubeObject[]> =>
    (await client.list<KubeObject>(PODS, { namespace, query: { labelSelector: 'hamlet.village/role=agent' } })).items;
  return {
    v,
    seatsOf,
    /** Waits until the Entitlement's status has these counts. */
    reported: (
      tier: string,
      wanted: Readonly<Record<'total' | 'free' | 'agents', number>>,
    ): Promise<EntitlementStatus> =>
      until(`the status of ${tier} is ${JSON.stringify(wanted)}`, async () => {
        const status = await seatsOf(tier);
        return isDeepStrictEqual({ ...status.seats, agents: status.agents }, wanted) && status;
      }),
    setPower: (name: string, power: 'Awake' | 'Asleep'): Promise<unknown> =>
      client.mergePatch(AGENTS, { spec: { power } }, { namespace, name }),
    /** Deletes Agents and waits until their pods are gone. */
    removeAgents: async (...names: readonly string[]): Promise<void> => {
      for (const name of names) await client.delete(AGENTS, { namespace, name });
      await until('the pods of the deleted agents are gone', async () =>
        (await podsOfAgents()).every(({ metadata }) => !names.some((name) => metadata.name.startsWith(`${name}-`))),
      );
    },
  };
}
