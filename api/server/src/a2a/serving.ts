import type { Task } from '@a2a-js/sdk';
import { refusalOfError } from '../http/respond.ts';
import type { Outcome } from '../http/outcome.ts';
import type { Log } from '../service/log.ts';
import type { A2aCall } from './a2a-call.ts';
import { errorOf, type A2aLibrary } from './a2a-library.ts';
import type { FollowPorts, Followers } from './follow-task.ts';
import { readTask } from './read-tasks.ts';

interface ServingPorts extends FollowPorts {
  readonly followers: Followers;
  readonly log: Log;
}

/** A call with what its answer needs. */
export interface Serving {
  readonly call: A2aCall;
  readonly ports: ServingPorts;
  readonly errors: A2aLibrary['errors'];
  /** Aborts when the caller has left. */
  readonly gone: AbortSignal;
}

/** The data of an outcome. Throws only errors of the protocol, without the text of a fault inside the village. */
export async function dataOf<T>({ errors, ports, call }: Serving, work: () => Promise<Outcome<T>>): Promise<T> {
  const outcome = await work().catch((error: unknown) => {
    ports.log('warn', 'a call over A2A failed', { request_id: call.caller.requestId, error });
    return refusalOfError(error);
  });
  if (outcome.ok) return outcome.data;
  throw errorOf(errors, outcome);
}

export const taskNow = (serving: Serving, taskId: string): Promise<Task> =>
  dataOf(serving, () => readTask(serving.call, taskId));
