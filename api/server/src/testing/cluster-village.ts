import { testApiServer, type Profile } from '@hamlet/test/env/api-server';
import { startTestVillage } from './test-village.ts';

export type ClusterVillage = Awaited<ReturnType<typeof startClusterVillage>>;

/** A village and a real API server with its CRDs. Replicas with `environment` read the custom resources there. */
export async function startClusterVillage(profile: Profile = 'api') {
  const [kube, village] = await Promise.all([testApiServer(profile), startTestVillage()]);
  await kube.installCrds();
  const namespace = await kube.namespace();
  return {
    kube,
    village,
    namespace,
    environment: {
      HAMLET_AGENT_SOURCE: 'kubernetes',
      HAMLET_KUBECONFIG: kube.kubeconfig,
      HAMLET_NAMESPACE: namespace,
    },
    remove: async () => {
      await village.remove();
      await kube.remove();
    },
  };
}
