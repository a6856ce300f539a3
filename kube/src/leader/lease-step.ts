import type { KubeObject, StoredMeta } from '../client/kube-object.ts';

export interface Lease extends KubeObject {
  readonly metadata: StoredMeta;
  readonly spec?: {
    readonly holderIdentity?: string | undefined;
    readonly leaseDurationSeconds?: number | undefined;
    readonly acquireTime?: string | undefined;
    readonly renewTime?: string | undefined;
    readonly leaseTransitions?: number | undefined;
  };
}

/**
 * Times of the election. By default a lease lasts 6 s, its holder renews it every 2 s, retries each second after a
 * failure, and writes nothing once 4 s have passed without a renewal.
 */
export interface LeaseTimes {
  readonly durationMs: number;
  readonly renewDeadlineMs: number;
  readonly renewMs: number;
  readonly retryMs: number;
}

export const LEASE_TIMES: LeaseTimes = { durationMs: 6_000, renewDeadlineMs: 4_000, renewMs: 2_000, retryMs: 1_000 };

/** The Lease as last read, and the time of its last change. The election uses only this process's clock. */
export interface LeaseView {
  readonly lease: Lease | undefined;
  readonly changedAtMs: number;
}

type LeaseStep = 'create' | 'renew' | 'take' | 'wait';

export function leaseStep(view: LeaseView, identity: string, nowMs: number): LeaseStep {
  const { lease } = view;
  if (lease === undefined) return 'create';
  const holder = lease.spec?.holderIdentity ?? '';
  if (holder === identity) return 'renew';
  return holder === '' || expiresInMs(view, nowMs) <= 0 ? 'take' : 'wait';
}

/** Milliseconds until another process may take the lease, if the Lease does not change before then. */
export function expiresInMs({ lease, changedAtMs }: LeaseView, nowMs: number): number {
  return changedAtMs + (lease?.spec?.leaseDurationSeconds ?? 0) * 1_000 - nowMs;
}

interface Tenure {
  readonly identity: string;
  readonly time: string;
  readonly times: LeaseTimes;
}

export function nextLeaseSpec(lease: Lease | undefined, { identity, time, times }: Tenure): NonNullable<Lease['spec']> {
  const fresh = {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(times.durationMs / 1_000),
    renewTime: time,
  };
  const spec = lease?.spec;
  if (spec === undefined) return { ...fresh, acquireTime: time, leaseTransitions: 0 };
  if (spec.holderIdentity === identity) return { ...spec, ...fresh };
  return { ...fresh, acquireTime: time, leaseTransitions: (spec.leaseTransitions ?? 0) + 1 };
}
