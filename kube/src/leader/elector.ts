import { randomUUID } from 'node:crypto';
import { type Clock, Deadline, wakefulClock } from '../time/clock.ts';
import type { KubeClient, ToKind } from '../client/kube-client.ts';
import { isStatus } from '../client/kube-error.ts';
import { LEASES } from '../client/kube-object.ts';
import { compareVersions, type Change } from '../reflector/object-cache.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { Lease, LeaseTimes, LeaseView } from './lease-step.ts';
import { expiresInMs, leaseStep, LEASE_TIMES, nextLeaseSpec } from './lease-step.ts';

/** Proof of leadership: receivers refuse a smaller one. A new Lease counts from 0, so its uid is part of the proof. */
export interface Fence {
  readonly leaseUid: string;
  readonly transitions: number;
}

export class NotLeaderError extends Error {
  override readonly name = 'NotLeaderError';
}

/** The client calls that election uses. The elector has its own client, so that other work never delays a renewal. */
export type LeasePort = Pick<KubeClient, 'get' | 'create' | 'replace' | 'list' | 'watch'>;

interface ElectorOptions {
  readonly client: LeasePort;
  readonly namespace: string;
  readonly name: string;
  /** Uid of the pod, or a host name. The elector adds a random part for each process. */
  readonly holder: string;
  readonly times?: LeaseTimes;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onError?: (error: unknown) => void;
}

/**
 * Holds a Lease, or waits for it. It measures expiry only with this process's monotonic clock. It polls the Lease, and a watch
 * wakes it early, so that it takes a free lease and notices a lost one within milliseconds. A late renewal pauses every write but
 * does not end the leadership: a renewal that the API server accepts at this process's resourceVersion proves that no other
 * process held the lease meanwhile. Only another holder or a deleted Lease ends the leadership.
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
    this.#watch.cache.onChange((change) => this.#onChange(change));
  }

  get elected(): Promise<Fence> {
    return this.#elected.promise;
  }

  /** Resolves once this process has lost the lease. It must then end: only a new process may lead again. */
  get lost(): Promise<void> {
    return this.#lost.promise;
  }

  /** True if this process holds the lease and renewed it recently. After a stall it is false before the process can write. */
  get leads(): boolean {
    return (
      !this.#isLost &&
      this.#renewedAtMs !== undefined &&
      this.#clock.now() - this.#renewedAtMs < this.#times.renewDeadlineMs
    );
  }

  /** Await it before every external effect. It waits while a renewal is late; throws NotLeaderError without the lease. */
  async leadership(): Promise<void> {
    while (!this.leads) {
      if (this.#isLost) throw new NotLeaderError('this process no longer holds the lease');
      await Promise.race([this.#turned.promise, this.#lost.promise]);
    }
  }

  start(): void {
    if (this.#running !== undefined) return;
    void this.#watch.start();
    this.#running = this.#run();
  }

  /** Forbids further writes while this process still holds the lease. Call it before `stop`, which releases the lease. */
  resign(): void {
    this.#lose();
  }

  /** Releases the lease, so that the next holder need not wait until it expires. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#lose();
    await Promise.all([this.#running, this.#watch.stop()]);
    const { lease } = this.#view;
    if (lease?.spec?.holderIdentity !== this.identity) return;
    // The API server refuses this write if another process has written the Lease since.
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

  async #rest(restMs: number): Promise<void> {
    if (this.#stopping.signal.aborted || this.#isLost) return;
    const holder = this.#view.lease?.spec?.holderIdentity ?? '';
    const isForeign = holder !== '' && holder !== this.identity;
    const untilMs = isForeign ? Math.min(restMs, Math.max(1, expiresInMs(this.#view, this.#clock.now()))) : restMs;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = this.#clock.after(untilMs, resolve);
    await promise;
    cancel();
  }

  #onChange(change: Change<Lease>): void {
    const { lease } = this.#view;
    if (change.kind !== 'deleted') this.#see(change.object);
    else if (lease?.metadata.uid === change.object.metadata.uid)
      this.#view = { lease: undefined, changedAtMs: this.#clock.now() };
    this.#judge();
    if ((this.#view.lease?.spec?.holderIdentity ?? '') === '') this.#wake();
  }

  #judge(): void {
    if (this.#renewedAtMs === undefined || this.#view.lease?.spec?.holderIdentity === this.identity) return;
    if (!this.#stopping.signal.aborted) this.#lose();
  }

  #lose(): void {
    this.#isLost = true;
    this.#lost.resolve();
    this.#wake();
    void this.#watch.stop();
  }

  async #turn(): Promise<void> {
    if (this.#renewedAtMs === undefined) await this.#read();
    this.#judge();
    if (this.#isLost) return;
    if (leaseStep(this.#view, this.identity, this.#clock.now()) !== 'wait') await this.#hold();
  }

  async #hold(): Promise<void> {
    // Take the time before the request, because the API server may renew the lease as early as that.
    const askedAtMs = this.#clock.now();
    try {
      this.#see(await this.#write());
    } catch (error) {
      // Another process changed the Lease, or a response was lost: read the Lease before the next turn.
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
    return this.#withTimeout((call) => client.create<Lease>(LEASES, object, call));
  }

  #replace(lease: Lease): Promise<Lease> {
    const { client, name } = this.#options;
    return this.#withTimeout((call) => client.replace<Lease>(LEASES, lease, { name, ...call }));
  }

  /** While this process leads, two attempts fit before the deadline, so that a dead connection costs only one of them. */
  async #withTimeout<T>(request: (call: ToKind) => Promise<T>): Promise<T> {
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
      this.#see(await this.#withTimeout((call) => client.get<Lease>(LEASES, { name, ...call })));
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      this.#view = { lease: undefined, changedAtMs: this.#clock.now() };
    }
  }

  #see(lease: Lease): void {
    const known = this.#view.lease;
    if (known !== undefined && compareVersions(lease.metadata.resourceVersion, known.metadata.resourceVersion) <= 0)
      return;
    this.#view = { lease, changedAtMs: this.#clock.now() };
  }
}

function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
