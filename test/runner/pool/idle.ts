/** Whether the machine's processors idle: work that mostly waits leaves room for more of it. */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough that a file that has just started shows what it uses. */
const LOOK_MS = 1_000;
/** Part of the processors' time that must have been idle. */
const IDLE_FROM = 0.3;

interface Times {
  readonly idle: number;
  readonly all: number;
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * Resolves when the processors have idled for 30 % of a second, or when nothing is left to do. Callers wait for each
 * other, so that each sees what the one before it has added.
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
