import { randomUUID } from 'node:crypto';
import { wakefulClock, type Clock } from '../clock.ts';
import type { KubeClient, ToKind } from '../client/kube-client.ts';
import { isStatus } from '../client/kube-error.ts';
import { Deadline } from '../deadline.ts';
import { LEASES } from '../kube-object.ts';
import { compareVersions, type Change } from '../reflector/object-cache.ts';
import { Reflector } from '../reflector/reflector.ts';
import {
  expiresInMs,
  leaseStep,
  LEASE_TIMES,
  nextLeaseSpec,
  type Lease,
  type LeaseTimes,
  type LeaseView,
} from './lease-step.ts';

/**
 * Proof of leadership that outlives the leader's own belief: whoever stores it refuses a smaller one.
 * `transitions` restarts when the Lease is deleted, hence the uid.
 */
export interface Fence {
  readonly leaseUid: string;
  readonly transitions: number;
}

/** The lease was lost: stop at once. */
export class NotLeaderError extends Error {
  override readonly name = 'NotLeaderError';
}

/** Of a client, what election needs. One of its own, so that no work of the leader holds up its lease. */
export type LeasePort = Pick<KubeClient, 'get' | 'create' | 'replace' | 'list' | 'watch'>;

export interface ElectorOptions {
  readonly client: LeasePort;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Uid of the pod, or a host name; a random part is added for each process. */
  readonly holder: string;
  readonly times?: LeaseTimes;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onError?: (error: unknown) => void;
}

/**
 * Holds a Lease, or waits for it. The clock that counts is this process's own, which only grows.
 *
 * It polls, and a watch wakes it: a lease that is given back is taken within milliseconds, and a leader whose lease is
 * taken knows as fast. A renewal that is late stops every write but ends nothing: the next one that the API server
 * accepts, at the resourceVersion that was ours, proves that nobody else has held it meanwhile. Only evidence ends the
 * leadership: another holder, or the Lease deleted.
 */
export class Elector {
  readonly identity: string;
  readonly #options: ElectorOptions;
  readonly #times: LeaseTimes;
  readonly #clock: Clock;
  readonly #watch: Reflector<Lease>;
  readonly #stopping = new AbortController();
  readonly #elected = Promise.withResolvers<Fence>();
  readonly #lost = Promise.withResolvers<void>();
  #view: LeaseView = { lease: undefined, changedAtMs: 0 };
  #renewedAtMs: number | undefined;
  #isLost = false;
  /** Resolves with the next turn. */
  #turned = Promise.withResolvers<void>();
  #wake: () => void = () => undefined;
  #running: Promise<void> | undefined;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#times = options.times ?? LEASE_TIMES;
    this.#clock = options.clock ?? wakefulClock;
    this.identity = `${options.holder}_${randomUUID()}`;
    const { client, namespace, name, onError, random } = options;
    this.#watch = new Reflector<Lease>({
      client,
      type: LEASES,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      clock: this.#clock,
      ...(random === undefined ? {} : { random }),
      onFailure: (error) => onError?.(error),
    });
    this.#watch.cache.onChange((change) => this.#hear(change));
  }

  /** Resolves once, when the lease is ours. */
  get elected(): Promise<Fence> {
    return this.#elected.promise;
  }

  /** Resolves once, when it is ours no longer. A process that sees this ends: only a new one may lead again. */
  get lost(): Promise<void> {
    return this.#lost.promise;
  }

  /** Ours, and renewed lately enough. A stalled process that wakes up finds false here before it can write. */
  get leads(): boolean {
    return (
      !this.#isLost &&
      this.#renewedAtMs !== undefined &&
      this.#clock.now() - this.#renewedAtMs < this.#times.renewDeadlineMs
    );
  }

  /**
   * To be awaited right before every outside effect. Resolves at once while we lead; waits while a renewal is late;
   * throws NotLeaderError when the lease is lost or given back.
   */
  async leadership(): Promise<void> {
    while (!this.leads) {
      if (this.#isLost) throw new NotLeaderError('the lease is not held any more');
      await Promise.race([this.#turned.promise, this.#lost.promise]);
    }
  }

  start(): void {
    if (this.#running !== undefined) return;
    void this.#watch.start();
    this.#running = this.#run();
  }

  /** From now on nothing may be written, although the lease is still ours: the last step before it is given back. */
  resign(): void {
    this.#lose();
  }

  /** Gives the lease back, so that the next holder need not wait for it to expire. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#lose();
    await Promise.all([this.#running, this.#watch.stop()]);
    const { lease } = this.#view;
    if (lease?.spec?.holderIdentity !== this.identity) return;
    // At a resourceVersion that is not ours any more the API server refuses it.
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
    await this.#replace({ ...lease, spec }).catch((error: unknown) => this.#options.onError?.(error));
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted && !this.#isLost) {
      const well = await this.#turn().then(
        () => true,
        (error: unknown) => this.#fail(error),
      );
      this.#turned.resolve();
      this.#turned = Promise.withResolvers();
      await this.#rest(well ? this.#times.renewMs : this.#times.retryMs);
    }
  }

  #fail(error: unknown): false {
    if (!this.#stopping.signal.aborted) this.#options.onError?.(error);
    return false;
  }

  /** Until the next turn is due, or the watch has something to say. */
  async #rest(restMs: number): Promise<void> {
    if (this.#stopping.signal.aborted || this.#isLost) return;
    const holder = this.#view.lease?.spec?.holderIdentity ?? '';
    const anothers = holder !== '' && holder !== this.identity;
    const untilMs = anothers ? Math.min(restMs, Math.max(1, expiresInMs(this.#view, this.#clock.now()))) : restMs;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = this.#clock.after(untilMs, resolve);
    await promise;
    cancel();
  }

  #hear(change: Change<Lease>): void {
    const { lease } = this.#view;
    if (change.kind !== 'deleted') this.#see(change.object);
    else if (lease?.metadata.uid === change.object.metadata.uid)
      this.#view = { lease: undefined, changedAtMs: this.#clock.now() };
    this.#judge();
    if ((this.#view.lease?.spec?.holderIdentity ?? '') === '') this.#wake();
  }

  /** Held by another, or deleted: whatever our clock says, it is ours no longer. */
  #judge(): void {
    if (this.#renewedAtMs === undefined || this.#view.lease?.spec?.holderIdentity === this.identity) return;
    if (!this.#stopping.signal.aborted) this.#lose();
  }

  #lose(): void {
    this.#isLost = true;
    this.#lost.resolve();
    this.#wake();
    // Nothing it says can matter any more.
    void this.#watch.stop();
  }

  async #turn(): Promise<void> {
    if (this.#renewedAtMs === undefined) await this.#read();
    this.#judge();
    if (this.#isLost) return;
    if (leaseStep(this.#view, this.identity, this.#clock.now()) !== 'wait') await this.#hold();
  }

  async #hold(): Promise<void> {
    // Counted from before the request: the lease may have been renewed as early as this.
    const askedAtMs = this.#clock.now();
    try {
      this.#see(await this.#write());
    } catch (error) {
      // Somebody else wrote, or deleted it, or an answer of ours was lost: look before the next turn decides.
      if (isStatus(error, 409) || isStatus(error, 404)) await this.#read();
      this.#judge();
      throw error;
    }
    if (this.#view.lease?.spec?.holderIdentity !== this.identity) return this.#judge();
    this.#renewedAtMs = askedAtMs;
    const { metadata, spec } = this.#view.lease;
    this.#elected.resolve({ leaseUid: metadata.uid, transitions: spec.leaseTransitions ?? 0 });
  }

  #write(): Promise<Lease> {
    const { lease } = this.#view;
    const spec = nextLeaseSpec(lease, { identity: this.identity, time: microTime(), times: this.#times });
    if (lease !== undefined) return this.#replace({ ...lease, spec });
    const { client, namespace, name } = this.#options;
    const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec };
    return this.#within((call) => client.create<Lease>(LEASES, object, call));
  }

  #replace(lease: Lease): Promise<Lease> {
    const { client, name } = this.#options;
    return this.#within((call) => client.replace<Lease>(LEASES, lease, { name, ...call }));
  }

  /** Two attempts fit before the deadline, so that a dead connection costs one of them; later ones have more time. */
  async #within<T>(request: (call: ToKind) => Promise<T>): Promise<T> {
    const { renewDeadlineMs, renewMs } = this.#times;
    const deadline = new Deadline(this.leads ? renewDeadlineMs - renewMs : renewDeadlineMs, undefined, this.#clock);
    try {
      return await request({ namespace: this.#options.namespace, priority: 'critical', signal: deadline.signal });
    } finally {
      deadline.cancel();
    }
  }

  async #read(): Promise<void> {
    const { client, name } = this.#options;
    try {
      this.#see(await this.#within((call) => client.get<Lease>(LEASES, { name, ...call })));
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      this.#view = { lease: undefined, changedAtMs: this.#clock.now() };
    }
  }

  /** Never backwards: the watch may tell late what an answer has told before. */
  #see(lease: Lease): void {
    const known = this.#view.lease;
    if (known !== undefined && compareVersions(lease.metadata.resourceVersion, known.metadata.resourceVersion) <= 0)
      return;
    this.#view = { lease, changedAtMs: this.#clock.now() };
  }
}

/** Kubernetes' MicroTime: six places. */
function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
