import { deny, type EgressDenial } from '@hamlet/core/egress';
import type { Attempt, AttemptEnd, Village } from './village.ts';

/** Attempts that wait for the API. Beyond it the broker refuses, because it lets nothing out unrecorded. */
const MAX_WAITING = 2000;
const BATCH = 200;
/** Ends that wait for the API; the oldest are given up, and their attempts stay without an end. */
const MAX_ENDS = 20_000;
const RETRY_MS = 1000;

interface Waiting {
  readonly attempt: Attempt;
  readonly settle: (denial: EgressDenial | null) => void;
}

const UNAVAILABLE = deny(
  'egress_log_unavailable',
  'the broker cannot record this attempt, and lets nothing out unrecorded; try again in a minute',
);

/**
 * Records attempts in groups: while one group is on its way to the API, the next gathers. A group commit costs an
 * attempt one round trip at most twice, at any rate of attempts.
 */
export class AttemptLog {
  readonly #village: Pick<Village, 'begin' | 'end'>;
  #waiting: Waiting[] = [];
  #ends: AttemptEnd[] = [];
  #isBeginning = false;
  #isEnding = false;
  /** Ends that were given up because the API did not take them. */
  lostEnds = 0;

  constructor(village: Pick<Village, 'begin' | 'end'>) {
    this.#village = village;
  }

  /** Resolves with null once the attempt is kept, or with the reason for which it must not go out. */
  begin(attempt: Attempt): Promise<EgressDenial | null> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.resolve(UNAVAILABLE);
    return new Promise((settle) => {
      this.#waiting.push({ attempt, settle });
      if (!this.#isBeginning) void this.#beginAll();
    });
  }

  end(end: AttemptEnd): void {
    this.#ends.push(end);
    if (this.#ends.length > MAX_ENDS) {
      this.#ends.shift();
      this.lostEnds += 1;
    }
    if (!this.#isEnding) void this.#endAll();
  }

  async #beginAll(): Promise<void> {
    this.#isBeginning = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, BATCH);
      const denial = await this.#village.begin(group.map(({ attempt }) => attempt)).then(
        () => null,
        () => UNAVAILABLE,
      );
      for (const { settle } of group) settle(denial);
    }
    this.#isBeginning = false;
  }

  async #endAll(): Promise<void> {
    this.#isEnding = true;
    while (this.#ends.length > 0) {
      const group = this.#ends.slice(0, BATCH);
      const isKept = await this.#village.end(group).then(
        () => true,
        () => false,
      );
      if (isKept) this.#ends = this.#ends.filter((end) => !group.includes(end));
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
    this.#isEnding = false;
  }
}
