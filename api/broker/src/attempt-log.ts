import { deny, type EgressDenial } from '@hamlet/core/egress';
import { Outbox } from './outbox.ts';
import { Unreadable, type Attempt, type AttemptEnd, type Village } from './village.ts';

/**
 * Maximum number of attempts that wait for the API. Beyond this limit the broker refuses, because nothing goes out
 * unrecorded.
 */
const MAX_WAITING = 2000;
const BATCH = 200;
/**
 * Maximum number of ends that wait for the API. Beyond this limit the broker drops the oldest: their attempts stay
 * without an end.
 */
const MAX_ENDS = 20_000;
/**
 * Maximum number of refusals that wait for the API: in total, and per life, so that one looping agent cannot fill the
 * queue.
 */
const MAX_REFUSALS = 10_000;
const MAX_REFUSALS_OF_LIFE = 1000;

interface Waiting {
  readonly attempt: Attempt;
  readonly settle: (denial: EgressDenial | null) => void;
}

const UNAVAILABLE = deny(
  'egress_log_unavailable',
  'the broker cannot record this attempt, so it refuses the attempt; try again in a minute',
);

/**
 * Records attempts in groups: while the API stores one group, the next collects. So an attempt waits for at most two
 * round trips, however many arrive. Refusals and ends are retried until the API has stored them.
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

  /** Resolves with null once the API has stored the attempt, else with the reason why it must not go out. */
  async begin(attempt: Attempt): Promise<EgressDenial | null> {
    const denial = this.#waiting.length >= MAX_WAITING ? UNAVAILABLE : await this.#kept(attempt);
    if (denial !== null) this.#failed(attempt, denial);
    return denial;
  }

  /** Records a refused attempt, unless too many refusals of its life wait already. */
  refuse(attempt: Attempt): void {
    const { uid } = attempt;
    if ((this.#refused.get(uid) ?? 0) >= MAX_REFUSALS_OF_LIFE || this.#refusals.size >= MAX_REFUSALS) return;
    this.#count(uid, 1);
    this.#refusals.add(attempt);
  }

  end(end: AttemptEnd): void {
    this.#ends.add(end);
  }

  /** The API may have stored the attempt although its answer was lost: send an end for it. Otherwise the refusal is stored. */
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

  /** Refuses only the attempt that the API cannot read; the others of its group are stored. */
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
