import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { deleteCallback, inTransaction, lockRun, putCallback, readCallbacks, type CallbackRow } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import type { EgressOf } from '../../egress/egress-of.ts';
import { OLDER_VERSION, VERSION } from '../agent-card.ts';
import { readTask } from '../read-tasks.ts';
import type { Sending } from '../send-message.ts';
import { isOver } from '../task-of-run.ts';
import type { AgentRecord } from '../../agents/agent-source.ts';
import { judgeCallback } from './judge-callback.ts';

const CALLBACKS_MAX = 4;
const ID = /^[\w.:-]{1,64}$/;
const TOKEN = /^[!-~]{0,512}$/;
const USUAL_ID = 'default';

export interface Calling extends Sending {
  readonly record: AgentRecord;
  readonly version: string;
  readonly egressOf: EgressOf;
}

/** A callback as its caller sees it: without the token, which only its receiver needs. */
const shown = ({
  runId,
  callbackId,
  url,
}: Pick<CallbackRow, 'runId' | 'callbackId' | 'url'>): TaskPushNotificationConfig => ({
  tenant: '',
  id: callbackId,
  taskId: runId,
  url,
  token: '',
  authentication: undefined,
});

function faultOf({ id, token, authentication }: TaskPushNotificationConfig): string | null {
  if (authentication !== undefined) return 'authentication: leave it out; the token comes in X-A2A-Notification-Token';
  if (id !== '' && !ID.test(id)) return 'id: send at most 64 letters, digits, ".", ":", "_" and "-"';
  return TOKEN.test(token) ? null : 'token: send at most 512 visible characters of ASCII';
}

/** Why a caller may not have a callback; null if it may. */
export function refuseCallback({ record, egressOf }: Calling, asked: TaskPushNotificationConfig): string | null {
  const to = judgeCallback(asked.url, record.spec, egressOf(record.agentId));
  return 'verdict' in to ? `url: ${to.code}: ${to.message}` : faultOf(asked);
}

/** Lets the village send the changes of a task to an address. */
export async function createCallback(
  calling: Calling,
  asked: TaskPushNotificationConfig,
): Promise<Outcome<TaskPushNotificationConfig>> {
  const task = await readTask(calling, asked.taskId);
  if (!task.ok) return task;
  const fault = refuseCallback(calling, asked);
  if (fault !== null) return refused('validation_failed', fault);
  if (isOver(task.data)) return refused('validation_failed', 'taskId: the task has ended, and sends nothing more');
  const { db, caller, agentId, version } = calling;
  const callbackId = asked.id === '' ? USUAL_ID : asked.id;
  const row = { runId: task.data.id, callbackId, agentId, url: asked.url, token: asked.token };
  return inTransaction(db, async (tx) => {
    await lockRun(tx, row.runId);
    const others = (await readCallbacks(tx, row.runId)).filter((each) => each.callbackId !== callbackId);
    if (others.length >= CALLBACKS_MAX)
      return refused('validation_failed', `A task has at most ${CALLBACKS_MAX} callbacks: delete one`);
    await putCallback(tx, { ...row, version: version === OLDER_VERSION ? OLDER_VERSION : VERSION });
    const detail = { run_id: row.runId, host: new URL(asked.url).host };
    await recordAct(tx, caller, { action: 'a2a.callback', object: agentId, detail });
    return accepted(shown(row));
  });
}

export async function listCallbacks(
  calling: Calling,
  taskId: string,
): Promise<Outcome<readonly TaskPushNotificationConfig[]>> {
  const task = await readTask(calling, taskId);
  return task.ok ? accepted((await readCallbacks(calling.db, taskId)).map(shown)) : task;
}

export async function getCallback(
  calling: Calling,
  taskId: string,
  id: string,
): Promise<Outcome<TaskPushNotificationConfig>> {
  const all = await listCallbacks(calling, taskId);
  if (!all.ok) return all;
  const found = all.data.find((each) => each.id === (id === '' ? USUAL_ID : id));
  return found === undefined ? refused('validation_failed', `id: the task has no callback ${id}`) : accepted(found);
}

export async function removeCallback(calling: Calling, taskId: string, id: string): Promise<Outcome<null>> {
  const task = await readTask(calling, taskId);
  if (!task.ok) return task;
  await deleteCallback(calling.db, taskId, id === '' ? USUAL_ID : id);
  return accepted(null);
}
