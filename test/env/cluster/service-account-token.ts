import { SERVICE_ACCOUNTS, type KubeClient, type NewObject, type ResourceType } from '@hamlet/kube';

const BINDINGS: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
};

interface Account {
  readonly namespace: string;
  readonly name: string;
}
interface TokenSpec {
  readonly expirationSeconds: number;
  readonly audiences?: readonly string[];
  readonly boundObjectRef?: object;
}

/** A token of a service account, by a TokenRequest. */
export async function serviceAccountToken(client: KubeClient, account: Account, spec: TokenSpec): Promise<string> {
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: account.name },
    spec,
  };
  const at = { ...account, subresource: 'token' };
  const { status } = await client.create<{ status: { token: string } }>(SERVICE_ACCOUNTS, request, at);
  return status.token;
}

/** Creates a service account with all rights; returns its token. */
export async function adminToken(client: KubeClient, account: Account, expirationSeconds: number): Promise<string> {
  const { namespace, name } = account;
  const apply = (type: ResourceType, object: object): Promise<unknown> =>
    client.apply(type, object as NewObject, { fieldManager: 'hamlet-test' });
  await apply(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  await apply(BINDINGS, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `${namespace}-${name}` },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  });
  return serviceAccountToken(client, account, { expirationSeconds });
}
