import { deny } from '@hamlet/core/egress';

const TOKENS_WHY =
  'this address has sent too many unknown tokens; wait ten seconds, then use the proxy of the resident';
export const TOO_MANY_TOKENS = deny('egress_too_many', TOKENS_WHY);

/** Refused tokens of one address within a window, after which the broker asks the API about none of its tokens. */
const REFUSED_MAX = 50;
const WINDOW_MS = 10_000;
const ADDRESSES_MAX = 10_000;

/** Counts refused tokens by address: a program that invents tokens must not load the API or evict cached admissions. */
export class RefusedTokens {
  readonly #byAddress = new Map<string, { refused: number; readonly untilMs: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  isExhausted(address: string): boolean {
    const count = this.#byAddress.get(address);
    return count !== undefined && count.untilMs > this.#now() && count.refused >= REFUSED_MAX;
  }

  note(address: string): void {
    const nowMs = this.#now();
    const count = this.#byAddress.get(address);
    if (count !== undefined && count.untilMs > nowMs) count.refused += 1;
    else {
      this.#byAddress.delete(address);
      this.#byAddress.set(address, { refused: 1, untilMs: nowMs + WINDOW_MS });
    }
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > ADDRESSES_MAX && oldest !== undefined) this.#byAddress.delete(oldest);
  }
}
