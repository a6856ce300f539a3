import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SERVICE_ACCOUNTS, type NewObject } from '@hamlet/kube';
import type { TestApiServer } from '@hamlet/test/env/api-server';
import type { TestAuthority } from '../../money/testing/test-authority.ts';

const RBAC = 'rbac.authorization.k8s.io';
const MANAGER = { fieldManager: 'test' };

interface Asked {
  readonly path: string;
  readonly token: string;
}

/** A kubelet behind TLS, at a free port of this machine, with a certificate for `names`. */
export async function startKubelet(
  authority: TestAuthority,
  names: readonly string[],
  answer: (asked: Asked) => { readonly status: number; readonly text: string },
): Promise<Server> {
  const { chain: cert, key } = await authority.server(names);
  const made = createServer({ cert, key }, ({ url = '', headers }, response) => {
    const { status, text } = answer({ path: url, token: (headers.authorization ?? '').replace('Bearer ', '') });
    response.writeHead(status).end(text);
  });
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return made;
}

/** The part of a node's status by which the API finds its kubelet. */
export function endpointOf(kubelet: Server): object {
  return {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: (kubelet.address() as AddressInfo).port } },
  };
}

/** The account that reads figures, with the right to list nodes that the chart gives it. */
export async function addFiguresAccount({ client }: Pick<TestApiServer, 'client'>, namespace: string): Promise<void> {
  const account = { kind: 'ServiceAccount', metadata: { name: 'hamlet-figures', namespace } };
  await client.apply(SERVICE_ACCOUNTS, { apiVersion: 'v1', ...account }, MANAGER);
  const of = (plural: string, kind: string) => ({ group: RBAC, version: 'v1', plural, kind });
  const head = (kind: string) => ({ apiVersion: `${RBAC}/v1`, kind, metadata: { name: 'figures' } });
  const rules = [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }];
  await client.apply(of('clusterroles', 'ClusterRole'), { ...head('ClusterRole'), rules } as NewObject, MANAGER);
  const binding = {
    ...head('ClusterRoleBinding'),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'figures' },
    subjects: [{ kind: 'ServiceAccount', name: 'hamlet-figures', namespace }],
  };
  await client.apply(of('clusterrolebindings', 'ClusterRoleBinding'), binding as NewObject, MANAGER);
}
