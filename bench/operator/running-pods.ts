import { PODS, Reflector, type KubeClient, type KubeObject } from '@hamlet/kube';

type Phase = KubeObject & { readonly status?: { readonly phase?: string } };

/** Counts Running pods by the same watch in every case. */
export class RunningPods {
  readonly #reflector: Reflector<Phase>;
  readonly #wanted: number;
  readonly #reached = Promise.withResolvers<number>();
  readonly #running = new Set<string>();

  /** @param wanted how many Running pods end the wait */
  constructor(client: KubeClient, namespace: string, wanted: number) {
    this.#wanted = wanted;
    this.#reflector = new Reflector<Phase>({ client, type: PODS, namespace, transform: ({ metadata, status }) => ({ metadata: { name: metadata.name, namespace, uid: metadata.uid, resourceVersion: metadata.resourceVersion }, ...(status === undefined ? {} : { status: { phase: status.phase ?? '' } }) }) });
    this.#reflector.cache.onChange(({ key, object, kind }) => this.#count(key, kind === 'deleted' ? undefined : object));
  }

  start(): Promise<void> {
    return this.#reflector.start();
  }

  /** Resolves with the time (`performance.now`) at which the last of them ran. */
  get all(): Promise<number> {
    return this.#reached.promise;
  }

  get count(): number {
    return this.#running.size;
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }

  #count(key: string, pod: Phase | undefined): void {
    if (pod?.status?.phase === 'Running') this.#running.add(key);
    else this.#running.delete(key);
    if (this.#running.size >= this.#wanted) this.#reached.resolve(performance.now());
  }
}
