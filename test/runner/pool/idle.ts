/** Waits until processors idle: then the running files wait for something, and another one finds room. */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time between two readings, long enough that a new file shows how much it computes. */
const LOOK_MS = 1_000;
/** The part of the processors' time that must have been idle. */
const IDLE_FROM = 0.3;

interface Times {
  readonly idle: number;
  readonly all: number;
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * Resolves when processors were idle for 30 % of a second, or when nothing is left to do. Callers take turns, so that
 * each reading includes the file that the caller before it has started.
 */
export function idleProcessors(isOver: () => boolean): Promise<void> {
  const own = turn.then(async () => {
    for (let before = times(); !isOver();) {
      await sleep(LOOK_MS);
      const now = times();
      if (idlePart(before, now) >= IDLE_FROM) return;
      before = now;
    }
  });
  turn = own;
  return own;
}

/** The part of the time between two readings in which processors were idle: 0 to 1. */
export function idlePart(before: Times, now: Times): number {
  const all = now.all - before.all;
  return all <= 0 ? 0 : (now.idle - before.idle) / all;
}

function times(): Times {
  const all = cpus().map(({ times: { user, nice, sys, irq, idle } }) => ({
    idle,
    all: user + nice + sys + irq + idle,
  }));
  const sum = (of: (each: Times) => number): number => all.reduce((total, each) => total + of(each), 0);
  return { idle: sum(({ idle }) => idle), all: sum((each) => each.all) };
}
