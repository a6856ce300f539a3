import { PODS, Reflector, type KubeClient, type KubeObject } from '@hamlet/kube';

type Limits = Readonly<Record<string, string>>;
interface Container {
  readonly name?: string;
  readonly resources?: { readonly limits?: Limits };
}
type Pod = KubeObject & {
  readonly spec?: { readonly containers?: readonly Container[] };
  readonly status?: { readonly phase?: string; readonly containerStatuses?: readonly Container[] };
};

/** The stored fields of a pod. */
interface Seen extends KubeObject {
  readonly running: boolean;
  /** Memory limit in its spec. */
  readonly asked: string | undefined;
  /** Memory limit in its status. */
  readonly memory: string | undefined;
}

/** The limit of an agent's hands, or of a bare pod's only container. */
const memoryIn = (containers: readonly Container[] = []): string | undefined =>
  (containers.find(({ name }) => name === 'hands') ?? containers[0])?.resources?.limits?.['memory'];

function seen({ metadata: { name, namespace, uid, resourceVersion }, spec, status }: Pod): Seen {
  const metadata = { name, uid, resourceVersion, ...(namespace === undefined ? {} : { namespace }) };
  return {
    metadata,
    running: status?.phase === 'Running',
    asked: memoryIn(spec?.containers),
    memory: memoryIn(status?.containerStatuses),
  };
}

/** Watches pods in the same way in every case. */
export class RunningPods {
  readonly #reflector: Reflector<Seen>;
  /** Running pods, by their name without the cycle. */
  readonly #running = new Map<string, Seen>();
  readonly #waits = new Set<() => void>();

  constructor(client: KubeClient, namespace: string) {
    this.#reflector = new Reflector<Seen>({
      client,
      type: PODS,
      namespace,
      transform: (pod) => seen(pod as unknown as Pod),
    });
    this.#reflector.cache.onChange(({ object, kind }) => {
      const { name } = object.metadata;
      const agent = name.slice(0, name.lastIndexOf('-'));
      if (kind !== 'deleted' && object.running) this.#running.set(agent, object);
      else if (this.#running.get(agent)?.metadata.name === name) this.#running.delete(agent);
      for (const look of this.#waits) look();
    });
  }

  start(): Promise<void> {
    return this.#reflector.start();
  }

  get count(): number {
    return this.#running.size;
  }

  /** All pods, running or not. */
  get existing(): number {
    return this.#reflector.cache.size;
  }

  isRunning(agent: string): boolean {
    return this.#running.has(agent);
  }

  /** The name of an agent's running pod. */
  podOf(agent: string): string | undefined {
    return this.#running.get(agent)?.metadata.name;
  }

  /** Memory limit in the spec of an agent's pod. */
  askedBy(agent: string): string | undefined {
    return this.#running.get(agent)?.asked;
  }

  /** Memory limit in the status of an agent's pod. */
  memoryOf(agent: string): string | undefined {
    return this.#running.get(agent)?.memory;
  }

  /**
   * Resolves with the time (`performance.now`) at which the watch first showed the condition.
   * @param what names the condition in the error after `capMs`
   */
  when(what: string, isSo: () => boolean, capMs: number): Promise<number> {
    if (isSo()) return Promise.resolve(performance.now());
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const timer = setTimeout(() => {
      this.#waits.delete(look);
      reject(new Error(`${what}: not within ${capMs / 1_000} s (${this.count} of ${this.existing} pods run)`));
    }, capMs);
    const look = (): void => {
      if (!isSo()) return;
      clearTimeout(timer);
      this.#waits.delete(look);
      resolve(performance.now());
    };
    this.#waits.add(look);
    return promise;
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }
}
