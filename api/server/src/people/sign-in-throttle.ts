import { countedAddress } from '../http/client-address.ts';
import { refused, type Refused } from '../http/outcome.ts';

/**
 * Limits of failures in one window: for one name at one address, for one address, and for one name at all addresses.
 */
const PER_NAME_AT_ADDRESS = 10;
const PER_ADDRESS = 50;
const PER_NAME = 100;
const WINDOW_MS = 300_000;
const TRACKED_MAX = 20_000;

/** An attempt that the caller may make. It counts as a failure until the caller calls `takeBack`. */
export interface Attempt {
  readonly ok: true;
  readonly nameIsUnderAttack: boolean;
  /** Takes this attempt out of the count, because it was not a wrong guess. */
  takeBack(): void;
}

interface Window {
  count: number;
  readonly endsMs: number;
}

/**
 * Slows down attackers who guess passwords and codes. An attempt counts as a failure until it succeeds, so that
 * concurrent guesses count too. Each process counts for itself, so N replicas allow N times as many failures, which are
 * still far too few for guessing. At 20,000 keys it drops the windows that have ended, then all windows.
 */
export class SignInThrottle {
  readonly #windows = new Map<string, Window>();
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  begin(name: string, address: string): Attempt | Refused {
    const nowMs = this.#monotonicMs();
    if (this.#windows.size >= TRACKED_MAX) this.#forget(nowMs);
    const from = countedAddress(address);
    const here = this.#window(`name ${name.toLowerCase()} at ${from}`, nowMs);
    const ofAddress = this.#window(`address ${from}`, nowMs);
    const ofName = this.#window(`name ${name.toLowerCase()}`, nowMs);
    for (const [window, max] of [
      [here, PER_NAME_AT_ADDRESS],
      [ofAddress, PER_ADDRESS],
    ] as const)
      if (window.count >= max) return refuseUntil(window, nowMs);
    const windows = [here, ofAddress, ofName];
    for (const window of windows) window.count += 1;
    let open = true;
    return {
      ok: true,
      nameIsUnderAttack: ofName.count > PER_NAME,
      takeBack: () => {
        if (open) for (const window of windows) window.count -= 1;
        open = false;
      },
    };
  }

  refuseName(name: string): Refused {
    const nowMs = this.#monotonicMs();
    return refuseUntil(this.#window(`name ${name.toLowerCase()}`, nowMs), nowMs);
  }

  #window(key: string, nowMs: number): Window {
    const before = this.#windows.get(key);
    if (before !== undefined && before.endsMs > nowMs) return before;
    const window = { count: 0, endsMs: nowMs + WINDOW_MS };
    this.#windows.set(key, window);
    return window;
  }

  #forget(nowMs: number): void {
    for (const [key, { endsMs }] of this.#windows) if (endsMs <= nowMs) this.#windows.delete(key);
    if (this.#windows.size >= TRACKED_MAX) this.#windows.clear();
  }
}

function refuseUntil({ endsMs }: Window, nowMs: number): Refused {
  const waitS = Math.ceil((endsMs - nowMs) / 1_000);
  return refused('rate_limited', `Too many wrong passwords; wait ${waitS} s`, waitS);
}
