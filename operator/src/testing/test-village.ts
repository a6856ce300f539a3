/**
 * An operator with exactly the rights that the chart grants, on a real API server, scheduler and controllers, with fake
 * nodes.
 */
import type { AgentStatus, ConditionType, EventReason, Reason } from '@hamlet/contract/kinds';
import { API_VERSION } from '@hamlet/contract/kinds';
import type { KubeObject, NewObject, ResourceType } from '@hamlet/kube';
import { KubeClient, NODES, PODS, SERVICE_ACCOUNTS } from '@hamlet/kube';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { serviceAccountToken } from '@hamlet/test/env/cluster/service-account-token';
import { until } from '@hamlet/test/env/until';
import { AGENTS, ENTITLEMENTS } from '../objects/names.ts';
import { operatorPolicies } from '../rights/policies.ts';
import type { Settings } from '../kinds/agent/facts.ts';
import { RIGHTS } from '../rights/rights.ts';
import { villageClient } from '../village/village-client.ts';
import { podManifest } from '../kinds/agent/pod-manifest.ts';
import { agentOf, SETTINGS, specOf, TIER_0 } from '../kinds/agent/testing/sample-state.ts';
import { operatorMetrics, type OperatorMetrics } from '../metrics.ts';
import { Operator } from '../operator.ts';
import { fakeKubelet, type FakeKubelet } from './fake-kubelet.ts';
import { fakeVillage, type FakeVillage } from './fake-village.ts';

const RBAC = 'rbac.authorization.k8s.io';
const rbac = (kind: string): ResourceType => ({ group: RBAC, version: 'v1', plural: `${kind.toLowerCase()}s`, kind });
const EVENTS: ResourceType = { group: '', version: 'v1', plural: 'events', kind: 'Event' };
const QUOTAS: ResourceType = { group: '', version: 'v1', plural: 'resourcequotas', kind: 'ResourceQuota' };
const TOO_MUCH = {
  nodeSelector: { nowhere: 'yes' },
  containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '1' }, limits: { cpu: '100k' } } }],
};

/** A client with the rights of the operator, restricted by the chart's admission policies. */
export async function operatorClient(
  server: TestApiServer,
  namespace: string,
  { metrics, image }: { readonly metrics: OperatorMetrics; readonly image: string },
): Promise<KubeClient> {
  const subjects = [{ kind: 'ServiceAccount', name: 'hamlet-operator', namespace }];
  const apply = (type: ResourceType, object: object): Promise<unknown> =>
    server.client.apply(
      type,
      {
        apiVersion: type.group === '' ? 'v1' : `${type.group}/${type.version}`,
        kind: type.kind,
        ...object,
      } as NewObject,
      { fieldManager: 'test' },
    );
  await apply(SERVICE_ACCOUNTS, { metadata: { name: 'hamlet-operator', namespace } });
  const roles = [
    { kind: 'Role', rules: RIGHTS.role, metadata: { name: 'op', namespace } },
    { kind: 'ClusterRole', rules: RIGHTS.clusterRole, metadata: { name: 'op' } },
  ];
  for (const { kind, rules, metadata } of roles) {
    await apply(rbac(kind), { metadata, rules });
    await apply(rbac(`${kind}Binding`), { metadata, subjects, roleRef: { apiGroup: RBAC, kind, name: 'op' } });
  }
  for (const { type, object } of operatorPolicies(namespace, image))
    await server.client.apply(type, object, { fieldManager: 'test' });
  const account = { namespace, name: 'hamlet-operator' };
  const token = await serviceAccountToken(server.client, account, { expirationSeconds: 3_600 });
  const { cert: _cert, key: _key, ...tls } = server.connection.tls;
  const client = new KubeClient(
    { ...server.connection, tls, token: { read: () => Promise.resolve(token), forget: () => undefined } },
    { onRequest: metrics.onRequest },
  );
  // The API server applies new rights slightly after it has stored them.
  await until('the rights of the Role and the ClusterRole are in force', () =>
    Promise.all([client.list(AGENTS, { namespace }), client.list(NODES, {})]),
  );
  const agent = agentOf();
  const pod = podManifest({
    agent: { ...agent, metadata: { ...agent.metadata, namespace } },
    spec: specOf(),
    tier: TIER_0,
    cycle: 1,
    settings: { ...SETTINGS, image },
  });
  await until(`the policies allow ${image}`, async () => {
    const refusal = await client.create(PODS, pod, { namespace, query: { dryRun: 'All' } }).then(() => '', String);
    return !refusal.includes('runs only the image');
  });
  return client;
}

export type PodOfAgent = KubeObject & {
  readonly spec: {
    readonly nodeName?: string;
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
    readonly containers: readonly {
      readonly name: string;
      readonly resources: {
        readonly limits: Readonly<Record<string, string>>;
        readonly requests: Readonly<Record<string, string>>;
      };
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly containerID?: string;
      readonly restartCount: number;
      readonly resources?: object;
    }[];
  };
};

type ContainerOfAgent = PodOfAgent['spec']['containers'][number];

export const handsIn = ({ spec }: PodOfAgent): ContainerOfAgent | undefined =>
  spec.containers.find(({ name }) => name === 'hands');

type ReportedNode = KubeObject & {
  readonly spec?: object;
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

interface StoredEvent {
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly involvedObject: { readonly name: string };
}

export class TestVillage {
  readonly server: TestApiServer;
  readonly namespace: string;
  readonly village: FakeVillage;
  readonly log: string[] = [];
  #running: { readonly operator: Operator; readonly client: KubeClient; readonly metrics: OperatorMetrics } | undefined;
  readonly #kubelets: FakeKubelet[] = [];

  constructor(server: TestApiServer, namespace: string, village: FakeVillage) {
    this.server = server;
    this.namespace = namespace;
    this.village = village;
  }

  get metrics(): OperatorMetrics {
    if (this.#running === undefined) throw new Error('no operator runs');
    return this.#running.metrics;
  }

  /** @param settings differences from the settings of the other tests */
  async startOperator(settings: Partial<Settings> = {}): Promise<void> {
    const metrics = operatorMetrics();
    const { server, namespace, village } = this;
    const { image } = { ...SETTINGS, ...settings };
    const client = await operatorClient(server, namespace, { metrics, image });
    const operator = new Operator({
      client,
      village: villageClient({ baseUrl: village.url, fence: { leaseUid: 'lease', transitions: 0 } }),
      namespace,
      settings: { ...SETTINGS, ...settings },
      workers: 4,
      instance: 'test',
      metrics,
      log: (line) => void this.log.push(line),
    });
    await operator.start();
    this.#running = { operator, client, metrics };
  }

  async stopOperator(): Promise<void> {
    await this.#running?.operator.stop();
    await this.#running?.client.close();
    this.#running = undefined;
  }

  async addNode(name: string, capacity?: Readonly<Record<string, string>>): Promise<FakeKubelet> {
    const node = capacity === undefined ? name : { name, capacity };
    const kubelet = await fakeKubelet(this.server.client, node, (error) => this.log.push(String(error)));
    this.#kubelets.push(kubelet);
    return kubelet;
  }

  async remove(): Promise<void> {
    await this.stopOperator();
    for (const kubelet of this.#kubelets) await kubelet.stop();
    await this.village.stop();
    await this.server.remove();
  }

  async createTier(name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
    const limits = { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 };
    await this.server.client.create(
      ENTITLEMENTS,
      { apiVersion: API_VERSION, kind: 'Entitlement', metadata: { name }, spec: { limits, ...spec } },
      { namespace: this.namespace },
    );
  }

  /**
   * Writes a quota and waits until it is in force. The API server reads quotas from a cache, which is slightly delayed.
   */
  async quota(name: string, hard: Readonly<Record<string, string>>): Promise<void> {
    const {
      server: { client },
      namespace,
    } = this;
    await client.create(
      QUOTAS,
      { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec: { hard } },
      { namespace },
    );
    await until(`the quota ${name} is in force`, async () => {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: `beyond-${name}` }, spec: TOO_MUCH };
      const refusal = await client.create(PODS, pod, { namespace }).then(() => '', String);
      if (refusal === '') await client.delete(PODS, { namespace, name: pod.metadata.name, graceSeconds: 0 });
      return refusal.includes('exceeded quota');
    });
  }

  async removeQuota(name: string): Promise<void> {
    await this.server.client.delete(QUOTAS, { namespace: this.namespace, name });
  }

  createAgent(name: string, spec: object = {}): Promise<KubeObject> {
    return this.server.client.create(
      AGENTS,
      { apiVersion: API_VERSION, kind: 'Agent', metadata: { name }, spec },
      { namespace: this.namespace },
    );
  }

  async statusOf(name: string): Promise<AgentStatus> {
    const { status = {} } = await this.server.client.get<KubeObject & { readonly status?: AgentStatus }>(AGENTS, {
      namespace: this.namespace,
      name,
    });
    return status;
  }

  async podsOf(name: string): Promise<readonly PodOfAgent[]> {
    const { items } = await this.server.client.list<PodOfAgent>(PODS, {
      namespace: this.namespace,
      query: { labelSelector: `hamlet.village/agent=${name}` },
    });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  runningPod(name: string): Promise<PodOfAgent> {
    return this.#until(`a pod of ${name} that runs`, name, async () => {
      const [pod, ...others] = await this.podsOf(name);
      return others.length === 0 && pod?.status?.phase === 'Running' && pod;
    });
  }

  /** Waits for `TYPE STATUS REASON` in the conditions. Returns the message. */
  condition(name: string, wanted: `${ConditionType} ${'True' | 'False' | 'Unknown'} ${Reason}`): Promise<string> {
    return this.#until(`${name}: ${wanted}`, name, async () => {
      const { conditions = [] } = await this.statusOf(name);
      return conditions.find(({ type, status, reason }) => `${type} ${status} ${reason}` === wanted)?.message ?? false;
    });
  }

  /**
   * Waits until a probe of an agent succeeds. A timeout reports the agent's status, the nodes and the operator's last log lines.
   */
  async #until<T>(what: string, name: string, probe: () => Promise<T | undefined | false>): Promise<T> {
    try {
      return await until(what, probe);
    } catch (error) {
      const { items } = await this.server.client.list<ReportedNode>(NODES, {});
      const nodes = items.map(({ metadata, spec, status }) => ({
        name: metadata.name,
        ...spec,
        ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status,
      }));
      throw new Error(
        `${what}: timed out. The status is ${JSON.stringify(await this.statusOf(name))}; nodes ${JSON.stringify(nodes)}; log ${JSON.stringify(this.log.slice(-20))}`,
        { cause: error },
      );
    }
  }

  /** Waits for an Event about an agent with that reason and a message that matches `says`. Returns the message. */
  event(name: string, wanted: Reason | EventReason, says = /./): Promise<string> {
    return this.#until(`${name}: event ${wanted}`, name, async () => {
      const { items } = await this.server.client.list<KubeObject & StoredEvent>(EVENTS, { namespace: this.namespace });
      return (
        items.find(
          ({ message, reason, involvedObject }) =>
            reason === wanted && involvedObject.name === name && says.test(message ?? ''),
        )?.message ?? false
      );
    });
  }
}

/** An API server with the CRDs, and one operator that leads. */
export async function testVillage(): Promise<TestVillage> {
  const server = await testApiServer('control-plane');
  await server.installCrds();
  return new TestVillage(server, await server.namespace(), await fakeVillage());
}
