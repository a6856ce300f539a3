/** A node of which only the API server knows: pods that the scheduler binds to it run at once, and end at once. */
import { LEASES, NODES, PODS, Reflector, type KubeClient, type KubeObject } from '@hamlet/kube';

const HEARTBEAT_MS = 5_000;
const LEASE_NAMESPACE = 'kube-node-lease';

type Pod = KubeObject & { readonly spec?: { readonly nodeName?: string }; readonly status?: { readonly phase?: string } };

const RUNNING = {
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'resident', image: 'x', imageID: 'x', ready: true, restartCount: 0, state: { running: { startedAt: '2026-11-22T10:00:00Z' } } }],
  },
};

/** Where it starts and ends. */
export interface FakeKubelet {
  stop(): Promise<void>;
}

async function heartbeat(client: KubeClient, node: string): Promise<void> {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: node, namespace: LEASE_NAMESPACE }, spec: { holderIdentity: node, leaseDurationSeconds: 40, renewTime } };
  await client.apply(LEASES, lease, { fieldManager: 'fake-kubelet' });
}

async function serve(client: KubeClient, { metadata, status }: Pod): Promise<void> {
  const { name, namespace = '', uid, deletionTimestamp } = metadata;
  const at = { namespace, name };
  if (deletionTimestamp !== undefined) return void (await client.delete(PODS, { ...at, uid, graceSeconds: 0 }));
  if (status?.phase === 'Pending') await client.mergePatch(PODS, RUNNING, { ...at, subresource: 'status' });
}

/** @param onError hears of what fails; a pod that is gone already is no failure */
export async function fakeKubelet(client: KubeClient, node: string, onError: (error: unknown) => void): Promise<FakeKubelet> {
  const capacity = { cpu: '64', memory: '256Gi', pods: '110' };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }];
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: node, labels: { 'kubernetes.io/hostname': node } } }, {});
  await client.mergePatch(NODES, { status: { capacity, allocatable: capacity, conditions } }, { name: node, subresource: 'status' });
  await heartbeat(client, node);
  const timer = setInterval(() => void heartbeat(client, node).catch(onError), HEARTBEAT_MS);
  const pods = new Reflector<Pod>({ client, type: PODS, fieldSelector: `spec.nodeName=${node}` });
  pods.cache.onChange(({ kind, object }) => {
    if (kind !== 'deleted') void serve(client, object).catch(onError);
  });
  await pods.start();
  return {
    stop: async () => {
      clearInterval(timer);
      await pods.stop();
    },
  };
}
