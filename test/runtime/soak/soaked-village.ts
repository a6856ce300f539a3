/**
 * The setting of a soak: a real control plane, a node that exists only in the API server, a proxy, and the operator as
 * a process.
 */
import { PODS, Reflector, slim } from '@hamlet/kube';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { until } from '@hamlet/test/env/until';
import { fakeKubelet } from '../../../operator/src/testing/fake-kubelet.ts';
import { fakeVillage } from '../../../operator/src/testing/fake-village.ts';
import { figure, operatorToken, startOperatorProcess, type OperatorProcess } from '../operator-process.ts';
import { FaultProxy } from '../proxy/fault-proxy.ts';
import { serverWatches } from '../server-watches.ts';
import { AGENTS, Hands, type RawAgent, type RawPod } from '../village-objects.ts';

const LOG_LIMIT = 1_000;

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

async function leads(operator: OperatorProcess): Promise<boolean> {
  return (
    figure(await operator.read('/metrics'), 'hamlet_operator_leader') === 1 &&
    (await operator.read('/readyz')).includes('[+] watches ok')
  );
}

/** The Agents and pods, through a client of the API server without the proxy. */
function truth(server: TestApiServer, namespace: string) {
  const { client } = server;
  return {
    agents: new Reflector<RawAgent>({ client, type: AGENTS, namespace, transform: slim }),
    pods: new Reflector<RawPod>({
      client,
      type: PODS,
      namespace,
      labelSelector: 'hamlet.village/agent',
      transform: slim,
    }),
  };
}

export type SoakedVillage = Awaited<ReturnType<typeof soakedVillage>>;

/** Starts the whole setting; resolves when the operator leads. */
export async function soakedVillage(log: (line: string) => void) {
  const server = await testApiServer('control-plane');
  await server.installCrds();
  const hands = new Hands(server.client, await server.namespace());
  const { namespace } = hands;
  await hands.createTier();
  const village = await fakeVillage();
  const kubelet = await fakeKubelet(server.client, 'sparky1', (error) => log(`kubelet: ${String(error)}`));
  const caches = truth(server, namespace);
  await Promise.all([caches.agents.start(), caches.pods.start()]);
  const proxy = new FaultProxy(server.connection, LOG_LIMIT);
  await proxy.start();
  const before = total(await serverWatches(server.client));
  const operator = await startOperatorProcess({
    server: proxy.url,
    token: await operatorToken(server.client, namespace),
    namespace,
    apiUrl: village.url,
  });
  const end = async (): Promise<void> => {
    await operator.end();
    await Promise.all([caches.agents.stop(), caches.pods.stop(), kubelet.stop(), proxy.stop()]);
    await village.stop();
    await server.remove();
  };
  await until('the operator leads', () => leads(operator)).catch(async (error: unknown) => {
    log(operator.output());
    await end();
    throw error;
  });
  return {
    hands,
    proxy,
    operator,
    ...caches,
    /** Watches of the operator, as the API server counts them. */
    watches: async () => total(await serverWatches(server.client)) - before,
    end,
  };
}
