import { deny, type EgressDenial } from '@hamlet/core/egress';
import { Outbox } from './outbox.ts';
import { Unreadable, type Attempt, type AttemptEnd, type Village } from './village.ts';

/** Attempts that wait for the API. Beyond it the broker refuses, because it lets nothing out unrecorded. */
const MAX_WAITING = 2000;
const BATCH = 200;
/** Ends that wait for the API; the oldest are given up, and their attempts stay without an end. */
const MAX_ENDS = 20_000;
/** Refusals that wait for the API, of all lives and of one: a program that is refused without end crowds out no other agent's. */
const MAX_REFUSALS = 10_000;
const MAX_REFUSALS_OF_LIFE = 1000;

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
 * attempt one round trip at most twice, at any rate of attempts. Refusals and ends follow until the API has them.
 */
export class AttemptLog {
  readonly #village: Pick<Village, 'begin' | 'end'>;
  readonly #ends: Outbox<AttemptEnd>;
  readonly #refusals: Outbox<Attempt>;
  readonly #refused = new Map<string, number>();
  #waiting: Waiting[] = [];
  #isBeginning = false;

  constructor(village: Pick<Village, 'begin' | 'end'>) {
    this.#village = village;
    this.#ends = new Outbox({ send: (ends) => village.end(ends), max: MAX_ENDS });
    this.#refusals = new Outbox({
      send: (attempts) => village.begin(attempts),
      left: (attempts) => attempts.forEach(({ uid }) => this.#count(uid, -1)),
      max: MAX_REFUSALS,
    });
  }

  get lostEnds(): number {
    return this.#ends.lost;
  }

  /** Resolves with null once the attempt is kept, or with the reason for which it must not go out. */
  async begin(attempt: Attempt): Promise<EgressDenial | null> {
    const denial = this.#waiting.length >= MAX_WAITING ? UNAVAILABLE : await this.#kept(attempt);
    if (denial !== null) this.#failed(attempt, denial);
    return denial;
  }

  /** Records an attempt that the broker has refused. Beyond the share of its life it is given up. */
  refuse(attempt: Attempt): void {
    const { uid } = attempt;
    if ((this.#refused.get(uid) ?? 0) >= MAX_REFUSALS_OF_LIFE || this.#refusals.size >= MAX_REFUSALS) return;
    this.#count(uid, 1);
    this.#refusals.add(attempt);
  }

  end(end: AttemptEnd): void {
    this.#ends.add(end);
  }

  /** The API may have kept it, with its answer lost: then it has an end, and otherwise it is a refusal. */
  #failed(attempt: Attempt, { code }: EgressDenial): void {
    const { id } = attempt;
    this.refuse({ ...attempt, refused: code });
    this.end({ id, address: null, status: null, sentBytes: 0, receivedBytes: 0, refused: code, durationMs: 0 });
  }

  #count(uid: string, more: number): void {
    const waiting = (this.#refused.get(uid) ?? 0) + more;
    if (waiting > 0) this.#refused.set(uid, waiting);
    else this.#refused.delete(uid);
  }

  #kept(attempt: Attempt): Promise<EgressDenial | null> {
    return new Promise((settle) => {
      this.#waiting.push({ attempt, settle });
      if (!this.#isBeginning) void this.#beginAll();
    });
  }

  async #beginAll(): Promise<void> {
    this.#isBeginning = true;
    while (this.#waiting.length > 0) await this.#beginGroup(this.#waiting.splice(0, BATCH));
    this.#isBeginning = false;
  }

  /** An attempt that the API cannot read is refused by itself: it refuses no other agent's. */
  async #beginGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#village.begin(group.map(({ attempt }) => attempt));
      for (const { settle } of group) settle(null);
    } catch (error) {
      if (!(error instanceof Unreadable) || group.length === 1) {
        for (const { settle } of group) settle(UNAVAILABLE);
        return;
      }
      const half = Math.ceil(group.length / 2);
      await this.#beginGroup(group.slice(0, half));
      await this.#beginGroup(group.slice(half));
    }
  }
}
