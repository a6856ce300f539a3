/** Agents and tiers of a test's village, as a person would write them. */
import { API_VERSION, type AgentStatus } from '@hamlet/contract/kinds';
import { PODS, type KubeClient, type KubeObject, type ResourceType } from '@hamlet/kube';

const kind = (plural: string, name: string): ResourceType => ({
  group: 'hamlet.village',
  version: 'v1alpha1',
  plural,
  kind: name,
});
export const AGENTS = kind('agents', 'Agent');
export const ENTITLEMENTS = kind('entitlements', 'Entitlement');

export type RawAgent = KubeObject & {
  readonly spec: { readonly power?: string; readonly rebootedAt?: string };
  readonly status?: AgentStatus;
};
export type RawPod = KubeObject & { readonly spec: { readonly containers: readonly { readonly image: string }[] } };

const AGENT_LABEL = 'hamlet.village/agent';

/** Changes by a person in one namespace, which bypass any proxy. */
export class Hands {
  readonly client: KubeClient;
  readonly namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  /** Creates the tier of agents without money. */
  async createTier(name = 'tier-0'): Promise<void> {
    const limits = { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 };
    const spec = { rank: 0, minBalance: '0', limits, compute: { resources: { cpu: '50m', memory: '64Mi' } } };
    await this.client.create(
      ENTITLEMENTS,
      { apiVersion: API_VERSION, kind: 'Entitlement', metadata: { name }, spec },
      { namespace: this.namespace },
    );
  }

  create(
    name: string,
    {
      spec = {},
      annotations = {},
    }: { readonly spec?: object; readonly annotations?: Readonly<Record<string, string>> } = {},
  ): Promise<RawAgent> {
    return this.client.create<RawAgent>(
      AGENTS,
      { apiVersion: API_VERSION, kind: 'Agent', metadata: { name, annotations }, spec },
      { namespace: this.namespace },
    );
  }

  patch(name: string, spec: object): Promise<RawAgent> {
    return this.client.mergePatch<RawAgent>(AGENTS, { spec }, { namespace: this.namespace, name });
  }

  async remove(name: string): Promise<void> {
    await this.client.delete(AGENTS, { namespace: this.namespace, name });
  }

  async agents(): Promise<readonly RawAgent[]> {
    return (await this.client.list<RawAgent>(AGENTS, { namespace: this.namespace })).items;
  }

  /** The agents' pods without a deletion. */
  async pods(): Promise<readonly RawPod[]> {
    const { items } = await this.client.list<RawPod>(PODS, {
      namespace: this.namespace,
      query: { labelSelector: AGENT_LABEL },
    });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }
}

/** The owner of a pod. */
export const agentOf = ({ metadata }: KubeObject): string => metadata.labels?.[AGENT_LABEL] ?? '';

/** The faults of one Agent and its pods. */
function wrongWith({ metadata, spec, status }: RawAgent, own: readonly KubeObject[]): string | undefined {
  const { name, uid, generation, deletionTimestamp } = metadata;
  const wanted = spec.power === 'Asleep' ? 0 : 1;
  if (deletionTimestamp !== undefined) return `${name} is still being deleted`;
  if (own.length !== wanted) return `${name} has ${own.length} pods instead of ${wanted}`;
  if (status?.observedGeneration !== generation)
    return `${name}: generation ${generation} is not seen, only ${status?.observedGeneration}`;
  return own.every(({ metadata: pod }) => pod.ownerReferences?.[0]?.uid === uid)
    ? undefined
    : `${name} has a pod of another life`;
}

/** Differences between the village and its Agents; empty in the end. */
export function unsettled(agents: readonly RawAgent[], pods: readonly KubeObject[]): readonly string[] {
  const byAgent = Map.groupBy(pods, agentOf);
  const wrong = agents.flatMap((agent) => wrongWith(agent, byAgent.get(agent.metadata.name) ?? []) ?? []);
  for (const { metadata } of agents) byAgent.delete(metadata.name);
  return [...wrong, ...[...byAgent.keys()].map((name) => `a pod of ${name}, which is gone`)];
}
