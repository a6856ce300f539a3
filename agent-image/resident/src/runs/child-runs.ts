import type { Run } from '@hamlet/contract';
import type { Taken } from './take-run.ts';

export interface ChildRuns {
  /** Works on a worker until the API has its result, it waits for people, or the API accepts no result now. */
  take(run: Run): Promise<Taken>;
}

export class LateChildRuns implements ChildRuns {
  #take: ChildRuns['take'] | null = null;

  serve(take: ChildRuns['take']): void {
    this.#take = take;
  }

  async take(run: Run): Promise<Taken> {
    return this.#take === null ? 'later' : this.#take(run);
  }
}
