/**
 * A node that exists only in the API server. Pods that the scheduler binds to it run at once and end at once;
 * `setResizes` decides whether a resize succeeds.
 */
import { isStatus, LEASES, NODES, PODS, Reflector, type KubeClient, type KubeObject } from '@hamlet/kube';

const HEARTBEAT_MS = 5_000;
const LEASE_NAMESPACE = 'kube-node-lease';
const CAPACITY = { cpu: '64', memory: '256Gi', pods: '110' };
const DISK = { 'ephemeral-storage': '1Ti' };

export type Pod = KubeObject & {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers: readonly {
      readonly name: string;
      readonly image: string;
      readonly resources?: object;
      readonly env?: readonly { readonly name: string; readonly value?: string }[];
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly containerStatuses?: readonly { readonly containerID?: string; readonly resources?: object }[];
  };
};

export type ResizeMood = 'applies' | 'hangs';

function running({ metadata, spec }: Pod): object {
  const containerStatuses = spec?.containers.map(({ name, image, resources = {} }) => ({
    name,
    image,
    imageID: image,
    containerID: `fake://${metadata.uid}-${name}`,
    ready: true,
    restartCount: 0,
    resources,
    state: { running: { startedAt: metadata.creationTimestamp } },
  }));
  return { status: { phase: 'Running', containerStatuses } };
}

const isGiven = ({ spec, status }: Pod): boolean =>
  JSON.stringify(spec?.containers.map(({ resources = {} }) => resources)) ===
  JSON.stringify(status?.containerStatuses?.map(({ resources = {} }) => resources));

const readyCondition = (status: 'True' | 'Unknown'): object => ({
  type: 'Ready',
  status,
  reason: status === 'True' ? 'KubeletReady' : 'NodeStatusUnknown',
  message: '',
});

/** The programs of pods: the node starts them before a pod runs, and ends them before it is gone. */
export interface PodPrograms {
  start(pod: Pod): Promise<void>;
  end(pod: Pod): Promise<void>;
}

const NO_PROGRAMS: PodPrograms = { start: () => Promise.resolve(), end: () => Promise.resolve() };

interface FakeNode {
  readonly name: string;
  readonly capacity: Readonly<Record<string, string>>;
  readonly programs?: PodPrograms;
}

export class FakeKubelet {
  readonly node: string;
  readonly #client: KubeClient;
  readonly #programs: PodPrograms;
  readonly #onError: (error: unknown) => void;
  readonly #pods: Reflector<Pod>;
  #resizes: ResizeMood = 'applies';
  #lost = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    client: KubeClient,
    { name: node, programs = NO_PROGRAMS }: Omit<FakeNode, 'capacity'>,
    onError: (error: unknown) => void,
  ) {
    this.#client = client;
    this.#programs = programs;
    this.node = node;
    this.#onError = onError;
    this.#pods = new Reflector<Pod>({ client, type: PODS, fieldSelector: `spec.nodeName=${node}` });
    this.#pods.cache.onChange(({ kind, object }) => {
      if (kind !== 'deleted') void this.#serve(object).catch(onError);
    });
  }

  async start(capacity: Readonly<Record<string, string>>): Promise<void> {
    const { node } = this;
    await this.#client.create(
      NODES,
      { apiVersion: 'v1', kind: 'Node', metadata: { name: node, labels: { 'kubernetes.io/hostname': node } } },
      {},
    );
    await this.#report({ capacity, allocatable: capacity, conditions: [readyCondition('True')] });
    await this.#heartbeat();
    this.#timer = setInterval(() => void this.#heartbeat().catch(this.#onError), HEARTBEAT_MS);
    await this.#pods.start();
  }

  setResizes(mood: ResizeMood): void {
    this.#resizes = mood;
  }

  /** Stops the node's reports, so that it looks lost and its pods never end. */
  async lose(): Promise<void> {
    this.#lost = true;
    clearInterval(this.#timer);
    await this.#report({ conditions: [readyCondition('Unknown')] });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pods.stop();
  }

  async #heartbeat(): Promise<void> {
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: this.node, namespace: LEASE_NAMESPACE },
      spec: { holderIdentity: this.node, leaseDurationSeconds: 40, renewTime },
    };
    await this.#client.apply(LEASES, lease, { fieldManager: 'fake-kubelet' });
    // After a stall of the machine, Kubernetes may have marked the node as lost; this report marks it as ready again.
    if (!this.#lost) await this.#report({ conditions: [readyCondition('True')] });
  }

  #report(status: object): Promise<unknown> {
    return this.#client.mergePatch(NODES, { status }, { name: this.node, subresource: 'status' });
  }

  async #serve(pod: Pod): Promise<void> {
    if (this.#lost) return;
    const { name, namespace = '', uid, deletionTimestamp } = pod.metadata;
    const at = { namespace, name };
    if (deletionTimestamp !== undefined) {
      await this.#programs.end(pod);
      return void (await this.#client.delete(PODS, { ...at, uid, graceSeconds: 0 }));
    }
    const begins = pod.status?.phase === 'Pending';
    if (begins) await this.#programs.start(pod);
    if (begins || (this.#resizes === 'applies' && !isGiven(pod)))
      await this.#client.mergePatch(PODS, running(pod), { ...at, subresource: 'status' });
  }
}

/** @param onError called for every failure, except a conflict or a pod that is already gone */
export async function fakeKubelet(
  client: KubeClient,
  node: string | FakeNode,
  onError: (error: unknown) => void,
): Promise<FakeKubelet> {
  const { capacity, ...named } = typeof node === 'string' ? { name: node, capacity: CAPACITY } : node;
  const kubelet = new FakeKubelet(client, named, (error) => {
    if (!isStatus(error, 404) && !isStatus(error, 409)) onError(error);
  });
  await kubelet.start({ ...DISK, ...capacity });
  return kubelet;
}
