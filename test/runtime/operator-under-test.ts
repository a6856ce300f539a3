/**
 * The operator's own kinds and runtime behind a fault proxy, on a real API server and etcd, with an observer that
 * bypasses the proxy.
 */
import { Environment, Operator, operatorMetrics, settingsOf, villageClient } from '@hamlet/operator';
import type { KubeObject, TokenSource, WatchTimes } from '@hamlet/kube';
import { CLAIMS, KubeClient, keyOf, NODES, PODS, Reflector } from '@hamlet/kube';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { until } from '@hamlet/test/env/until';
import { fakeKubelet } from '../../operator/src/testing/fake-kubelet.ts';
import { fakeVillage } from '../../operator/src/testing/fake-village.ts';
import { FaultProxy } from './proxy/fault-proxy.ts';
import { serverWatches } from './server-watches.ts';
import { AGENTS, agentOf, Hands, unsettled, type RawPod } from './village-objects.ts';

/** Watches end after seconds instead of minutes; the ratios between the times are unchanged. */
const WATCH_TIMES: WatchTimes = {
  minTimeoutMs: 8_000,
  maxTimeoutMs: 12_000,
  graceMs: 3_000,
  bookmarkSilenceMs: 15_000,
  shortMs: 1_000,
  healthyMs: 10_000,
  patienceMs: 10_000,
};

type Caches = Operator['watched'];

const fingerprint = (objects: Iterable<KubeObject>): string =>
  [...objects]
    .map(({ metadata }) => `${keyOf(metadata)}@${metadata.uid}`)
    .toSorted()
    .join(' ');

async function compare({ agents, pods }: Caches, hands: Hands): Promise<readonly string[]> {
  const [trueAgents, truePods] = await Promise.all([hands.agents(), hands.pods()]);
  const cached = (reflector: Caches['agents'] | Caches['pods']): string =>
    fingerprint(
      [...(reflector.cache.values() as Iterable<KubeObject>)].filter(
        ({ metadata }) => metadata.deletionTimestamp === undefined,
      ),
    );
  return [
    ...unsettled(trueAgents, truePods),
    ...(cached(agents) === fingerprint(trueAgents)
      ? []
      : [`the cache of Agents differs from the API server: ${cached(agents)}`]),
    ...(cached(pods) === fingerprint(truePods)
      ? []
      : [`the cache of pods differs from the API server: ${cached(pods)}`]),
  ];
}

function twinWatch(
  client: KubeClient,
  namespace: string,
): { readonly reflector: Reflector<RawPod>; readonly twins: string[] } {
  const twins: string[] = [];
  const reflector = new Reflector<RawPod>({ client, type: PODS, namespace, labelSelector: 'hamlet.village/agent' });
  reflector.cache.onChange(({ kind, object }) => {
    const living = [...reflector.cache.values()].filter(
      (pod) => agentOf(pod) === agentOf(object) && pod.metadata.deletionTimestamp === undefined,
    );
    if (kind === 'added' && living.length > 1)
      twins.push(`${agentOf(object)}: ${living.map(({ metadata }) => metadata.name).join(', ')}`);
  });
  return { reflector, twins };
}

/** Collects the garbage of an Agent, because no controllers run here: the API server would count their watches too. */
function collector({ client, namespace }: Hands, onError: (error: unknown) => void): Reflector<KubeObject> {
  const agents = new Reflector<KubeObject>({ client, type: AGENTS, namespace, metadataOnly: true });
  const collect = async (uid: string): Promise<void> => {
    for (const type of [PODS, CLAIMS]) {
      const { items } = await client.list<KubeObject>(type, { namespace });
      const orphans = items.filter(
        ({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true,
      );
      await Promise.all(
        orphans.map(({ metadata }) => client.delete(type, { namespace, name: metadata.name, uid: metadata.uid })),
      );
    }
  };
  agents.cache.onChange(({ kind, object }) => {
    if (kind === 'deleted') void collect(object.metadata.uid).catch(onError);
  });
  return agents;
}

/** Everything around the operator: an API server with a node, an api, a fault proxy, and observers. */
async function startEnvirons() {
  const server = await testApiServer();
  await server.installCrds();
  const hands = new Hands(server.client, await server.namespace());
  await hands.createTier();
  const log: string[] = [];
  const village = await fakeVillage();
  const kubelet = await fakeKubelet(server.client, 'sparky1', (error) => log.push(String(error)));
  // A node begins with a taint that only controllers remove.
  await server.client.mergePatch(NODES, { spec: { taints: null } }, { name: 'sparky1' });
  const truth = twinWatch(server.client, hands.namespace);
  const garbage = collector(hands, (error) => log.push(String(error)));
  await Promise.all([truth.reflector.start(), garbage.start()]);
  const proxy = new FaultProxy(server.connection);
  await proxy.start();
  const stop = async (): Promise<void> => {
    await Promise.all([truth.reflector.stop(), garbage.stop(), kubelet.stop(), proxy.stop()]);
    await village.stop();
    await server.remove();
  };
  return { server, hands, proxy, village, log, twins: truth.twins, stop };
}

export type UnderTest = Awaited<ReturnType<typeof operatorUnderTest>>;

/** @param tokenOf a source of tokens that the API server accepts from the operator */
export async function operatorUnderTest(tokenOf: (server: TestApiServer, namespace: string) => Promise<TokenSource>) {
  const environs = await startEnvirons();
  const { server, hands, proxy, village, log, twins } = environs;
  const { namespace } = hands;
  const metrics = operatorMetrics();
  const client = new KubeClient(
    { server: proxy.url, namespace, tls: {}, token: await tokenOf(server, namespace) },
    { onRequest: metrics.onRequest },
  );
  const settings = settingsOf(
    Environment.parse({
      HAMLET_API_URL: village.url,
      HAMLET_AGENT_IMAGE: 'hamlet/agent:1',
      HAMLET_USER_NAMESPACES: 'Off',
    }),
  );
  const operator = new Operator({
    client,
    village: villageClient({ baseUrl: village.url, fence: { leaseUid: 'lease', transitions: 0 } }),
    namespace,
    settings,
    workers: 4,
    instance: 'test',
    metrics,
    log: (line) => log.push(line),
    watchTimes: WATCH_TIMES,
  });
  await operator.start();
  await until('every watch is open', async () => proxy.watches.length >= Object.keys(operator.watched).length);
  return {
    server,
    hands,
    proxy,
    operator,
    log,
    /** `AGENT: POD, POD` for every moment at which an Agent had two pods without a deletion. */
    twins,
    /** Differences of the village and of the operator's caches from the API server. */
    problems: () => compare(operator.watched, hands),
    /** Open watches of the kinds that the operator watches, as the API server counts them. */
    serverWatches: async () => {
      const {
        agents = 0,
        entitlements = 0,
        pods = 0,
        persistentvolumeclaims: claims = 0,
        nodes = 0,
      } = await serverWatches(server.client);
      return `agents ${agents}, entitlements ${entitlements}, pods ${pods}, claims ${claims}, nodes ${nodes}`;
    },
    end: async () => {
      await operator.stop();
      await client.close();
      await environs.stop();
    },
  };
}
