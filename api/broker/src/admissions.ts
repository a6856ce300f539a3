import { createHash } from 'node:crypto';
import { Stops } from './stops.ts';
import type { Admission, AdmissionDenial, Village } from './village.ts';

/** Lifetime of a cached admission, in milliseconds. A brake discards it at once. */
const ADMITTED_MS = 5000;
const REFUSED_MS = 1000;
const MAX_KEPT = 10_000;

const keyOf = (token: string): string => createHash('sha256').update(token).digest('base64');

interface Kept {
  readonly answer: Promise<Admission | AdmissionDenial>;
  until: number;
  uid: string | null;
}

/** Caches admissions by token for some seconds. It stores hashes of the tokens. */
export class Admissions {
  readonly #kept = new Map<string, Kept>();
  readonly #stops = new Stops();
  readonly #village: Pick<Village, 'admit'>;
  readonly #now: () => number;

  constructor(village: Pick<Village, 'admit'>, now: () => number) {
    this.#village = village;
    this.#now = now;
  }

  /** Rejects if the API is unreachable; the caller then refuses. */
  admit(token: string): Promise<Admission | AdmissionDenial> {
    const key = keyOf(token);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > this.#now()) return kept.answer;
    return this.#ask(key, token);
  }

  /** True if the token was admitted in the last seconds. */
  knows(token: string): boolean {
    const kept = this.#kept.get(keyOf(token));
    return kept !== undefined && kept.until > this.#now() && kept.uid !== null;
  }

  /** Discards the answers about a life. An admission that is under way counts as older than a brake. */
  forget(uid: string, isBraked: boolean): void {
    if (isBraked) this.#stops.note(uid);
    for (const [key, kept] of this.#kept) if (kept.uid === uid || kept.uid === null) this.#kept.delete(key);
  }

  #ask(key: string, token: string): Promise<Admission | AdmissionDenial> {
    const answer = this.#stops.during(() => this.#village.admit(token));
    const kept: Kept = { answer, until: this.#now() + ADMITTED_MS, uid: null };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    kept.answer.then(
      (answer) => {
        if ('uid' in answer) kept.uid = answer.uid;
        else kept.until = this.#now() + REFUSED_MS;
      },
      () => this.#kept.delete(key),
    );
    return kept.answer;
  }
}
