import type { Log } from '../process/json-log.ts';
import type { Acted } from './act.ts';

/** Answers that a model gives beside the turns, one at a time. */
export interface Aside {
  /** False if an answer is under way. */
  begin(answer: () => Promise<Acted>): boolean;
}

/** Mutable because it holds whether an answer is under way. */
export function createAside(log: Log): Aside {
  let isBusy = false;
  return {
    begin: (answer) => {
      if (isBusy) return false;
      isBusy = true;
      void answer()
        .then((acted) => log.info('answered', acted))
        .catch((error: unknown) =>
          log.warn('not_answered', { why: error instanceof Error ? error.message : String(error) }),
        )
        .finally(() => {
          isBusy = false;
        });
      return true;
    },
  };
}
