import type { RunDelta } from '@hamlet/contract';
import type { Task } from '@a2a-js/sdk';
import type { Outcome } from '../http/outcome.ts';
import type { RunDeltas } from '../runs/run-deltas.ts';
import type { RunWatch } from '../runs/run-watch.ts';
import { isResting } from './task-of-run.ts';

/** Maximum number of words that wait for a slow reader; more are dropped, because the stored answer replaces them. */
const WORDS_MAX = 256;
const FOLLOWED_MAX = 1_000;
const FOLLOWED_OF_ACTOR_MAX = 32;

export interface FollowPorts {
  readonly watch: Pick<RunWatch, 'watch'>;
  readonly deltas: Pick<RunDeltas, 'subscribe'>;
}

export type TaskChange =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'words'; readonly delta: RunDelta };

export interface Followed {
  readonly runId: string;
  readonly read: () => Promise<Outcome<Task>>;
  /** Aborts when the reader has left. */
  readonly signal: AbortSignal;
}

/** Collects changes and words of a run between two reads. Stateful. */
function hintsOf({ watch, deltas }: FollowPorts, { runId, signal }: Omit<Followed, 'read'>) {
  const words: RunDelta[] = [];
  let hasChanged = true;
  let next = Promise.withResolvers<void>();
  const wake = (): void => next.resolve();
  const stops = [
    watch.watch(runId, () => {
      hasChanged = true;
      wake();
    }),
    deltas.subscribe(runId, (delta) => {
      if (words.length < WORDS_MAX) words.push(delta);
      wake();
    }),
  ];
  signal.addEventListener('abort', wake, { once: true });
  return {
    takeWords: () => words.splice(0),
    takeChange: () => {
      const had = hasChanged;
      hasChanged = false;
      return had;
    },
    /** Resolves once there is a change, a word, or an end. */
    next: async () => {
      if (hasChanged || words.length > 0 || signal.aborted) return;
      next = Promise.withResolvers<void>();
      await next.promise;
    },
    stop: () => {
      signal.removeEventListener('abort', wake);
      for (const stop of stops) stop();
    },
  };
}

async function* changesOf(hints: ReturnType<typeof hintsOf>, { read, signal }: Followed): AsyncGenerator<TaskChange> {
  while (!signal.aborted) {
    for (const delta of hints.takeWords()) yield { kind: 'words', delta };
    if (hints.takeChange()) {
      const task = await read();
      if (!task.ok) return;
      yield { kind: 'task', task: task.data };
      if (isResting(task.data)) return;
    }
    await hints.next();
  }
}

/** The task now and after each change, until it rests or its reader may not read it any more; between them, words of the answer. */
export async function* followTask(ports: FollowPorts, followed: Followed): AsyncGenerator<TaskChange, void, undefined> {
  const hints = hintsOf(ports, followed);
  try {
    yield* changesOf(hints, followed);
  } finally {
    hints.stop();
  }
}

/** Counts the calls that follow a task, in total and of each actor. `take` returns null if too many do. */
export function createFollowers() {
  const open = new Map<string, number>();
  let total = 0;
  return {
    take: (actorId: string): (() => void) | null => {
      const own = open.get(actorId) ?? 0;
      if (own >= FOLLOWED_OF_ACTOR_MAX || total >= FOLLOWED_MAX) return null;
      open.set(actorId, own + 1);
      total += 1;
      return () => {
        const left = (open.get(actorId) ?? 1) - 1;
        if (left === 0) open.delete(actorId);
        else open.set(actorId, left);
        total -= 1;
      };
    },
  };
}

export type Followers = ReturnType<typeof createFollowers>;
