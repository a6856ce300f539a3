import { inClusterConnection, kubeconfigConnection, type Connection } from '@hamlet/kube';
import type { Environment } from './config.ts';

/** Where the API server is: by a kubeconfig, or by the service account of the pod. Throws when neither is there. */
export async function connect({
  HAMLET_KUBECONFIG: kubeconfig,
  HAMLET_SERVICE_ACCOUNT_DIR: directory,
}: Pick<Environment, 'HAMLET_KUBECONFIG' | 'HAMLET_SERVICE_ACCOUNT_DIR'>): Promise<Connection> {
  if (kubeconfig !== undefined) return kubeconfigConnection(kubeconfig);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  if (host === undefined || port === undefined)
    throw new Error('no pod and no HAMLET_KUBECONFIG: nothing says where the API server is');
  return inClusterConnection({ host, port, directory });
}
