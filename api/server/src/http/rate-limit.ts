import type { Response } from 'express';
import { refused, type Refused } from './outcome.ts';

export interface RatePolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowS: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetS: number;
  readonly policy: RatePolicy;
}

export function rateVerdict(policy: RatePolicy, count: number, endsInMs: number): RateVerdict {
  const resetS = Math.max(0, Math.min(policy.windowS, Math.ceil(endsInMs / 1_000)));
  return { allowed: count <= policy.quota, remaining: Math.max(0, policy.quota - count), resetS, policy };
}

export function refusalOfVerdict({ policy: { quota, windowS }, resetS }: RateVerdict): Refused {
  return refused('rate_limited', `At most ${quota} requests in ${windowS} s; wait ${resetS} s`, resetS);
}

/** The refusal of a request beyond its quota, or of one that Redis must count but could not; else null. */
export function refuseBeyondQuota(verdict: RateVerdict | null): Refused | null {
  if (verdict === null) return refused('unavailable', 'Redis must count this request but is unreachable; try again');
  return verdict.allowed ? null : refusalOfVerdict(verdict);
}

const TRACKED_KEYS_MAX = 100_000;

/** Counts in fixed windows in this process. At 100,000 keys it drops the windows that have ended, or else all. */
export class RateLimiter {
  readonly #windows = new Map<string, { count: number; endsMs: number }>();

  /** Counts one request of a key. A new policy does not restart the window. `nowMs` is from a monotonic clock. */
  take(key: string, policy: RatePolicy, nowMs: number): RateVerdict {
    let window = this.#windows.get(key);
    if (window === undefined || window.endsMs <= nowMs) {
      this.#makeRoom(nowMs);
      window = { count: 0, endsMs: nowMs + policy.windowS * 1_000 };
      this.#windows.set(key, window);
    }
    window.count += 1;
    return rateVerdict(policy, window.count, window.endsMs - nowMs);
  }

  giveBack(key: string): void {
    const window = this.#windows.get(key);
    if (window !== undefined) window.count = Math.max(0, window.count - 1);
  }

  #makeRoom(nowMs: number): void {
    if (this.#windows.size < TRACKED_KEYS_MAX) return;
    for (const [key, { endsMs }] of this.#windows) if (endsMs <= nowMs) this.#windows.delete(key);
    if (this.#windows.size >= TRACKED_KEYS_MAX) this.#windows.clear();
  }
}

/** The header fields of draft-ietf-httpapi-ratelimit-headers, and Retry-After for a refused request. */
export function rateHeaders(verdict: RateVerdict): Record<string, string> {
  const { name, quota, windowS } = verdict.policy;
  return {
    'ratelimit-policy': `"${name}";q=${quota};w=${windowS}`,
    ratelimit: `"${name}";r=${verdict.remaining};t=${verdict.resetS}`,
    ...(verdict.allowed ? {} : { 'retry-after': String(verdict.resetS) }),
  };
}

export interface ShownLimit {
  readonly name: string;
  readonly quota: number;
  readonly remaining: number;
  readonly unit: 'tokens' | 'concurrent-requests';
  /** The window in seconds, and the seconds until the next one; absent for a limit without a window. */
  readonly windowS?: number;
  readonly resetS?: number;
}

export function showLimits(response: Response, limits: readonly ShownLimit[] = []): void {
  for (const { name, quota, remaining, unit, windowS, resetS } of limits) {
    response.append(
      'ratelimit-policy',
      `"${name}";q=${quota};qu="${unit}"${windowS === undefined ? '' : `;w=${windowS}`}`,
    );
    response.append('ratelimit', `"${name}";r=${remaining}${resetS === undefined ? '' : `;t=${resetS}`}`);
  }
}
