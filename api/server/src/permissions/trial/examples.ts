import { TRIAL_EXAMPLES_MAX, type TrialExample, type Verdict } from '@hamlet/contract';

/** Examples of a trial: the newest of each kind of change, so that a frequent kind does not hide a rare one. */
export class Examples {
  readonly #ofChange = new Map<string, TrialExample[]>();

  /** Takes an example, unless there are enough of its kind; `make` is called only then. */
  add({ from, to }: { readonly from: Verdict; readonly to: Verdict }, make: () => TrialExample): void {
    const key = `${from}>${to}`;
    const known = this.#ofChange.get(key) ?? [];
    this.#ofChange.set(key, known);
    if (known.length < TRIAL_EXAMPLES_MAX) known.push(make());
  }

  /** At most 100 examples, in turn one of each kind, then by time with the newest first. */
  chosen(): readonly TrialExample[] {
    const kinds = [...this.#ofChange.values()];
    const inTurn = Array.from({ length: TRIAL_EXAMPLES_MAX }, (_, at) => kinds.flatMap((kind) => kind[at] ?? []));
    return inTurn
      .flat()
      .slice(0, TRIAL_EXAMPLES_MAX)
      .toSorted((a, b) => b.at.localeCompare(a.at));
  }
}
