import { Fault } from './fault.ts';

/**
 * Maximum number of steps. A step is a node of an expression, an element of a list, or `CHARS_PER_STEP` characters of
 * text.
 */
const MAX_STEPS = 100_000;
const CHARS_PER_STEP = 32;
/** Maximum characters of the JSON of results, without its escapes. */
const MAX_RESULT_CHARS = 1 << 20;

/** Counts the steps and the results of one evaluation, or of all expressions of a template, and so bounds their time and memory. */
export class Work {
  #steps = MAX_STEPS;
  #resultChars = MAX_RESULT_CHARS;

  /** Throws a final `Fault` if the steps are used up. */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps >= 0) return;
    throw new Fault(`it takes more than ${MAX_STEPS} steps: use shorter lists and texts, or fewer nested macros`, true);
  }

  spendText(chars: number): void {
    this.spend(1 + Math.floor(chars / CHARS_PER_STEP));
  }

  spendResult(chars: number): void {
    this.#resultChars -= chars;
    if (this.#resultChars < 0) throw new Fault(`the result is longer than ${MAX_RESULT_CHARS} characters of JSON`);
  }
}
