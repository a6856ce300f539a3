/** The installer prints a line with this word and the megabytes that are there, from time to time. */
export const METER_WORD = 'hamlet-megabytes';

const LINE = new RegExp(`^${METER_WORD} (\\d{1,7})$`, 'gm');
const STEPS = 10;
/** A line of the meter has fewer characters; packages print other lines of any length. */
const KEPT_CHARS = 64;

/** Follows the output of an installer by the megabytes of the whole program. Mutable: it keeps an unfinished line. */
export class InstallMeter {
  readonly #whole: number;
  #rest = '';
  #step = 0;

  constructor(megabytes: number) {
    this.#whole = megabytes;
  }

  /** How far the installation is, for example `120 of 402 MB`; null until a further tenth is there. */
  take(output: string): string | null {
    const text = this.#rest + output;
    const end = text.lastIndexOf('\n') + 1;
    this.#rest = text.slice(end).slice(-KEPT_CHARS);
    const there = [...text.slice(0, end).matchAll(LINE)].at(-1)?.[1];
    if (there === undefined) return null;
    const megabytes = Math.min(Number(there), this.#whole);
    const step = Math.floor((megabytes / this.#whole) * STEPS);
    if (step <= this.#step) return null;
    this.#step = step;
    return `${megabytes} of ${this.#whole} MB`;
  }
}

export const withoutMeter = (output: string): string => output.replaceAll(LINE, '');
