import { Fault } from './fault.ts';

/** Most steps of one evaluation: a node of the expression, an element of a list, or `CHARS_PER_STEP` characters of text. */
const MAX_STEPS = 250_000;
const CHARS_PER_STEP = 32;

/** Counts the steps of one evaluation, and so bounds its time and its memory. */
export class Work {
  #left = MAX_STEPS;

  /** Throws a final `Fault` if the evaluation has taken its steps. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    throw new Fault(
      `the expression takes more than ${MAX_STEPS} steps: use shorter lists and texts, or fewer nested macros`,
      true,
    );
  }

  spendText(chars: number): void {
    this.spend(1 + Math.floor(chars / CHARS_PER_STEP));
  }
}
