import type { SendMessageRequest } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { cancelRun } from '@hamlet/contract';
import { refused } from '../http/outcome.ts';
import { cardOf } from './agent-card.ts';
import {
  createCallback,
  getCallback,
  listCallbacks,
  refuseCallback,
  removeCallback,
} from './callbacks/callbacks-of-task.ts';
import { callbackHostsOf } from './callbacks/judge-callback.ts';
import { readMessage } from './read-message.ts';
import { listTasks, withHistory } from './read-tasks.ts';
import { sendToAgent } from './send-message.ts';
import { dataOf, taskNow, type Serving } from './serving.ts';
import { isOver } from './task-of-run.ts';
import { streamTask, whenResting } from './task-streams.ts';

const NO_ADDRESSES =
  'An agent takes text, JSON and the bytes of files: send the bytes of the file, or its address as text';

/** Sends a message, and lets the village report its task if the caller asks for it. Returns the id of the task. */
async function send(serving: Serving, { message, configuration }: SendMessageRequest): Promise<string> {
  const { call, errors } = serving;
  const reading = readMessage(message);
  if (reading.kind === 'address') throw new errors.ContentTypeNotSupportedError({ message: NO_ADDRESSES });
  const callback = configuration?.taskPushNotificationConfig;
  if (callback !== undefined) requireCallbacks(serving);
  return dataOf(serving, async () => {
    if (reading.kind === 'fault') return refused('validation_failed', reading.fault);
    const fault = callback === undefined ? null : refuseCallback(call, callback);
    if (fault !== null) return refused('validation_failed', fault);
    const sent = await sendToAgent(call, reading.message);
    if (!sent.ok || callback === undefined) return sent;
    const created = await createCallback(call, { ...callback, taskId: sent.data });
    return created.ok ? sent : created;
  });
}

function requireCallbacks({ call, errors }: Serving): void {
  if (callbackHostsOf(call.record.spec).length > 0) return;
  throw new errors.PushNotificationNotSupportedError({
    message: 'The agent sends no notifications: an admin writes spec.a2a.callbackHosts',
  });
}

type Callbacks = Pick<
  A2ARequestHandler,
  | 'createTaskPushNotificationConfig'
  | 'getTaskPushNotificationConfig'
  | 'listTaskPushNotificationConfigs'
  | 'deleteTaskPushNotificationConfig'
>;

function callbacksOf(serving: Serving): Callbacks {
  return {
    createTaskPushNotificationConfig: async (asked) => {
      requireCallbacks(serving);
      return dataOf(serving, () => createCallback(serving.call, asked));
    },
    getTaskPushNotificationConfig: ({ taskId, id }) => dataOf(serving, () => getCallback(serving.call, taskId, id)),
    listTaskPushNotificationConfigs: async ({ taskId }) => ({
      configs: [...(await dataOf(serving, () => listCallbacks(serving.call, taskId)))],
      nextPageToken: '',
    }),
    deleteTaskPushNotificationConfig: async ({ taskId, id }) => {
      await dataOf(serving, () => removeCallback(serving.call, taskId, id));
    },
  };
}

/** Serves the methods of the protocol for one request of one caller. */
export function requestHandler(serving: Serving): A2ARequestHandler {
  const { call, errors } = serving;
  return {
    getAgentCard: async () => cardOf(call.record, call.origin),
    getAuthenticatedExtendedAgentCard: () => Promise.reject(new errors.ExtendedAgentCardNotConfiguredError()),
    sendMessage: async (asked) => {
      const { historyLength, returnImmediately = false } = asked.configuration ?? {};
      const taskId = await send(serving, asked);
      return withHistory(await (returnImmediately ? taskNow : whenResting)(serving, taskId), historyLength);
    },
    sendMessageStream: async function* sendMessageStream(asked) {
      yield* streamTask(serving, await send(serving, asked));
    },
    resubscribe: async function* resubscribe({ id }) {
      if (isOver(await taskNow(serving, id)))
        throw new errors.UnsupportedOperationError({ message: 'The task has ended: read it with GetTask' });
      yield* streamTask(serving, id);
    },
    getTask: async ({ id, historyLength }) => withHistory(await taskNow(serving, id), historyLength),
    listTasks: async (asked) => {
      const page = await dataOf(serving, () => listTasks(call, asked));
      return { ...page, tasks: page.tasks.map((task) => withHistory(task, asked.historyLength)) };
    },
    cancelTask: async ({ id }) => {
      // Reads first, so that a task of another agent or person is unknown.
      const isSettled = isOver(await taskNow(serving, id));
      await dataOf(serving, async () =>
        isSettled
          ? refused('run_settled')
          : call.ask(cancelRun, { params: { run_id: id }, body: {} }, `a2a cancel ${id}`),
      );
      return taskNow(serving, id);
    },
    ...callbacksOf(serving),
  };
}
