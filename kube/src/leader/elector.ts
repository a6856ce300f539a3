import { randomUUID } from 'node:crypto';
import { pause } from '../clock.ts';
import type { KubeClient, ToKind } from '../client/kube-client.ts';
import { isStatus } from '../client/kube-error.ts';
import { LEASES } from '../kube-object.ts';
import { leaseStep, LEASE_TIMES, nextLeaseSpec, type Lease, type LeaseTimes, type LeaseView } from './lease-step.ts';

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

export interface ElectorOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Uid of the pod, or a host name; a random part is added for each process. */
  readonly holder: string;
  readonly times?: LeaseTimes;
  readonly onError?: (error: unknown) => void;
}

/** Holds a Lease, or waits for it. The clock that counts is this process's own, which only grows. */
export class Elector {
  readonly identity: string;
  readonly #options: ElectorOptions;
  readonly #times: LeaseTimes;
  readonly #stopping = new AbortController();
  readonly #elected = Promise.withResolvers<Fence>();
  readonly #lost = Promise.withResolvers<void>();
  #view: LeaseView = { lease: undefined, changedAtMs: 0 };
  #renewedAtMs: number | undefined;
  #running: Promise<void> | undefined;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#times = options.times ?? LEASE_TIMES;
    this.identity = `${options.holder}_${randomUUID()}`;
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
    return this.#renewedAtMs !== undefined && performance.now() - this.#renewedAtMs < this.#times.renewDeadlineMs;
  }

  /** Throws NotLeaderError unless we lead: to be called right before every outside effect. */
  assertLeads(): void {
    if (!this.leads) throw new NotLeaderError('the lease is not held any more');
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Gives the lease back, so that the next holder need not wait for it to expire. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    if (!this.leads || this.#view.lease === undefined) return;
    const spec = { ...this.#view.lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
    this.#renewedAtMs = undefined;
    await this.#replace({ ...this.#view.lease, spec }).catch((error: unknown) => this.#options.onError?.(error));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#turn().catch((error: unknown) => this.#options.onError?.(error));
      if (this.#renewedAtMs !== undefined && !this.leads) return this.#lost.resolve();
      await pause(this.#times.retryMs, signal);
    }
  }

  async #turn(): Promise<void> {
    const holding = this.#renewedAtMs !== undefined;
    if (!holding) await this.#read();
    const step = leaseStep(this.#view, this.identity, performance.now());
    // Held by another, or deleted: whatever our clock says, it is ours no longer.
    if (holding && step !== 'renew') this.#renewedAtMs = Number.NEGATIVE_INFINITY;
    else if (step !== 'wait') await this.#hold();
  }

  async #hold(): Promise<void> {
    // Counted from before the request: the lease may have been renewed as early as this.
    const askedAtMs = performance.now();
    try {
      this.#see(await this.#write());
    } catch (error) {
      // Somebody else wrote, or deleted it: look again before the next turn decides.
      if (isStatus(error, 409) || isStatus(error, 404)) await this.#read();
      throw error;
    }
    this.#renewedAtMs = askedAtMs;
    const { lease } = this.#view;
    if (lease !== undefined) this.#elected.resolve({ leaseUid: lease.metadata.uid, transitions: lease.spec?.leaseTransitions ?? 0 });
  }

  #write(): Promise<Lease> {
    const { lease } = this.#view;
    const spec = nextLeaseSpec(lease, { identity: this.identity, time: microTime(), times: this.#times });
    if (lease !== undefined) return this.#replace({ ...lease, spec });
    const { client, namespace, name } = this.#options;
    const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec };
    return client.create<Lease>(LEASES, object, this.#call());
  }

  #replace(lease: Lease): Promise<Lease> {
    return this.#options.client.replace<Lease>(LEASES, lease, { name: this.#options.name, ...this.#call() });
  }

  #call(): ToKind {
    return { namespace: this.#options.namespace, priority: 'critical', signal: AbortSignal.timeout(this.#times.renewDeadlineMs) };
  }

  async #read(): Promise<void> {
    const { client, name } = this.#options;
    try {
      this.#see(await client.get<Lease>(LEASES, { name, ...this.#call() }));
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      this.#view = { lease: undefined, changedAtMs: performance.now() };
    }
  }

  #see(lease: Lease): void {
    const same = this.#view.lease?.metadata.uid === lease.metadata.uid && this.#view.lease.metadata.resourceVersion === lease.metadata.resourceVersion;
    if (!same) this.#view = { lease, changedAtMs: performance.now() };
  }
}

/** Kubernetes' MicroTime: six places. */
function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
