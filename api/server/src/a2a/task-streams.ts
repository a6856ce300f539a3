import type { StreamResponse, Task } from '@a2a-js/sdk';
import { refused } from '../http/outcome.ts';
import { errorOf } from './a2a-library.ts';
import { followTask, type TaskChange } from './follow-task.ts';
import { readTask } from './read-tasks.ts';
import { taskNow, type Serving } from './serving.ts';
import { isResting, updatesBetween, wordsUpdate } from './task-of-run.ts';

/** Longest time that a call waits for its task. It then returns the task as it is. */
const WAIT_MS = 50_000;
const RETRY_S = 10;

/** Follows a task by its own id: that of the caller may have capital letters, under which no change is announced. */
const follow = (serving: Serving, { id }: Task, signal: AbortSignal): AsyncGenerator<TaskChange, void, undefined> =>
  followTask(serving.ports, { runId: id, read: () => readTask(serving.call, id), signal });

/** The task once it rests, or as it is when the time or the room for waiting callers ends. */
export async function whenResting(serving: Serving, taskId: string): Promise<Task> {
  const now = await taskNow(serving, taskId);
  const release = isResting(now) ? null : serving.ports.followers.take(serving.call.caller.actor.id);
  if (release === null) return now;
  let last = now;
  try {
    const signal = AbortSignal.any([serving.gone, AbortSignal.timeout(WAIT_MS)]);
    for await (const change of follow(serving, now, signal)) if (change.kind === 'task') last = change.task;
  } finally {
    release();
  }
  return last;
}

/** The task, then its changes until it rests, with the words of its answer. */
export async function* streamTask(serving: Serving, taskId: string): AsyncGenerator<StreamResponse, void, undefined> {
  const { ports, errors, call, gone } = serving;
  const release = ports.followers.take(call.caller.actor.id);
  if (release === null)
    throw errorOf(errors, refused('rate_limited', 'Too many calls follow a task: close a stream', RETRY_S));
  try {
    let last = await taskNow(serving, taskId);
    let asked = '';
    yield { payload: { $case: 'task', value: last } };
    for await (const change of follow(serving, last, gone)) {
      if (change.kind === 'task') {
        yield* updatesBetween(last, change.task);
        last = change.task;
      } else {
        const ask = `${change.delta.ask}/${change.delta.attempt}`;
        yield wordsUpdate(last, change.delta, ask === asked);
        asked = ask;
      }
    }
  } finally {
    release();
  }
}
