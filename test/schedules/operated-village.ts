/** A village on a real API server with a real api, and operators that a test starts. */
import { API_VERSION } from '@hamlet/contract/kinds';
import { AGENTS, Environment, Operator, operatorMetrics, settingsOf, villageClient } from '@hamlet/operator';
import type { Profile } from '../env/api-server.ts';
import { startClusterVillage } from '../../api/server/src/testing/cluster-village.ts';
import { Play, TOKENS } from '../../api/server/src/testing/test-village.ts';

type OperatorParts = Partial<Pick<ConstructorParameters<typeof Operator>[0], 'audit' | 'client' | 'log' | 'metrics'>>;

export type OperatedVillage = Awaited<ReturnType<typeof operatedVillage>>;

/**
 * @param agents the specs of its Agents, by name
 * @param changes variables of its api, beside those of a test village
 * @param profile with `control-plane`, a scheduler binds pods to nodes
 */
export async function operatedVillage(
  agents: Readonly<Record<string, object>>,
  changes: Readonly<Record<string, string>> = {},
  profile: Profile = 'api',
) {
  const { kube, village, namespace, remove, ...cluster } = await startClusterVillage(profile);
  const { peopleUrl: baseUrl, metricsUrl } = await village.startReplica({ ...cluster.environment, ...changes });
  for (const [name, spec] of Object.entries(agents))
    await kube.client.create(
      AGENTS,
      { apiVersion: API_VERSION, kind: 'Agent', metadata: { name }, spec },
      { namespace },
    );
  const token = { read: () => Promise.resolve(TOKENS.operator), forget: () => undefined };
  const environment = Environment.parse({ HAMLET_API_URL: baseUrl, HAMLET_AGENT_IMAGE: 'hamlet/agent:1' });
  let transitions = 0;
  return {
    kube,
    namespace,
    metricsUrl,
    play: new Play(baseUrl),
    db: village.openDb(),
    /** Starts an operator with a greater fence than the previous one. */
    startOperator: async (parts: OperatorParts = {}) => {
      const fence = { leaseUid: '22222222-2222-4222-8222-222222222222', transitions: (transitions += 1) };
      const operator = new Operator({
        client: kube.clientWith({}),
        village: villageClient({ baseUrl, fence, token }),
        namespace,
        settings: settingsOf(environment),
        workers: 2,
        instance: 'test',
        metrics: operatorMetrics(),
        log: () => undefined,
        ...parts,
      });
      await operator.start();
      return operator;
    },
    remove,
  };
}
