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

const NO_FILES = 'An agent reads text and JSON: send the words of the file, or a link to it as text';

/** Sends a message, and lets the village report its task if the caller asks for it. Returns the id of the task. */
async function send(serving: Serving, { message, configuration }: SendMessageRequest): Promise<string> {
  const { errors } = serving;
  const reading = readMessage(message);
  if (reading.kind === 'file') throw new errors.ContentTypeNotSupportedError({ message: NO_FILES });
  const callback = configuration?.taskPushNotificationConfig;
  if (callback !== undefined) requireCallbacks(serving);
  return dataOf(serving, async () => {
    if (reading.kind === 'fault') return refused('validation_failed', reading.fault);
    const fault = callback === undefined ? null : refuseCallback(serving, callback);
    if (fault !== null) return refused('validation_failed', fault);
    const sent = await sendToAgent(serving, reading.message);
    if (!sent.ok || callback === undefined) return sent;
    const created = await createCallback(serving, { ...callback, taskId: sent.data });
    return created.ok ? sent : created;
  });
}

function requireCallbacks({ record, errors }: Serving): void {
  if (callbackHostsOf(record.spec).length > 0) return;
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
      return dataOf(serving, () => createCallback(serving, asked));
    },
    getTaskPushNotificationConfig: ({ taskId, id }) => dataOf(serving, () => getCallback(serving, taskId, id)),
    listTaskPushNotificationConfigs: async ({ taskId }) => ({
      configs: [...(await dataOf(serving, () => listCallbacks(serving, taskId)))],
      nextPageToken: '',
    }),
    deleteTaskPushNotificationConfig: async ({ taskId, id }) => {
      await dataOf(serving, () => removeCallback(serving, taskId, id));
    },
  };
}

/** Serves the methods of the protocol for one request of one caller. */
export function requestHandler(serving: Serving): A2ARequestHandler {
  const { errors } = serving;
  return {
    getAgentCard: async () => cardOf(serving.record, serving.origin),
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
      const page = await dataOf(serving, () => listTasks(serving, asked));
      return { ...page, tasks: page.tasks.map((task) => withHistory(task, asked.historyLength)) };
    },
    cancelTask: async ({ id }) => {
      // Reads first, so that a task of another agent or person is unknown.
      const isSettled = isOver(await taskNow(serving, id));
      await dataOf(serving, async () =>
        isSettled
          ? refused('run_settled')
          : serving.ask(cancelRun, { params: { run_id: id }, body: {} }, `a2a cancel ${id}`),
      );
      return taskNow(serving, id);
    },
    ...callbacksOf(serving),
  };
}
