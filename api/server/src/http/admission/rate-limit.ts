/** So many requests per window for each key. */
export interface RatePolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowS: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Seconds until the window starts anew. */
  readonly resetS: number;
  readonly policy: RatePolicy;
}

/** What a count means under a policy. */
export function rateVerdict(policy: RatePolicy, count: number, endsInMs: number): RateVerdict {
  const resetS = Math.max(0, Math.min(policy.windowS, Math.ceil(endsInMs / 1_000)));
  return { allowed: count <= policy.quota, remaining: Math.max(0, policy.quota - count), resetS, policy };
}

const TRACKED_KEYS_MAX = 100_000;

/**
 * Fixed windows, counted in this process: exact with one replica, and N times the quota at worst with N. Mutable because it is a counter;
 * at most 100,000 keys are tracked, then the ended windows are forgotten, then all.
 */
export class RateLimiter {
  readonly #windows = new Map<string, { count: number; endsMs: number }>();

  /** Counts one request of a key; what another policy counted of it before stays counted. `nowMs` is any clock that does not go back. */
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

  #makeRoom(nowMs: number): void {
    if (this.#windows.size < TRACKED_KEYS_MAX) return;
    for (const [key, { endsMs }] of this.#windows) if (endsMs <= nowMs) this.#windows.delete(key);
    if (this.#windows.size >= TRACKED_KEYS_MAX) this.#windows.clear();
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers, and Retry-After where the request was refused. */
export function rateHeaders(verdict: RateVerdict): Record<string, string> {
  const { name, quota, windowS } = verdict.policy;
  return {
    'ratelimit-policy': `"${name}";q=${quota};w=${windowS}`,
    ratelimit: `"${name}";r=${verdict.remaining};t=${verdict.resetS}`,
    ...(verdict.allowed ? {} : { 'retry-after': String(verdict.resetS) }),
  };
}
