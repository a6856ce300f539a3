import type { Need } from '../brain/board/need.ts';

/** Needs that wait to be asked about; when more come, the oldest are let go. */
const NEEDS_MAX = 8;

/** What keeps the agent from its work, as far as it has not asked for help with it. */
export interface Needs {
  add(need: Need): void;
  list(): readonly Need[];
  /** It has asked. */
  drop(subject: string): void;
}

/** Mutable because it holds what waits. */
export function createNeeds(): Needs {
  let waiting: Need[] = [];
  return {
    add: (need) => {
      waiting = [...waiting.filter(({ subject }) => subject !== need.subject), need].slice(-NEEDS_MAX);
    },
    list: () => waiting,
    drop: (subject) => {
      waiting = waiting.filter((need) => need.subject !== subject);
    },
  };
}
