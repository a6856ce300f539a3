import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { deleteCallback, inTransaction, lockRun, putCallback, readCallbacks, type CallbackRow } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import type { A2aCall } from '../a2a-call.ts';
import { OLDER_VERSION, VERSION } from '../agent-card.ts';
import { readTask } from '../read-tasks.ts';
import { isOver } from '../task-of-run.ts';
import { judgeCallback } from './judge-callback.ts';

const CALLBACKS_MAX = 4;
const ID = /^[\w.:-]{1,64}$/;
const TOKEN = /^[!-~]{0,512}$/;
const USUAL_ID = 'default';
const TAKEN_ID = 'id: another caller of this task uses it: send another one';

/**
 * True for the person who made the callback, and for admins: its address is a secret between the caller and its
 * receiver.
 */
const isOwn = ({ caller: { actor } }: Pick<A2aCall, 'caller'>, { personId }: Pick<CallbackRow, 'personId'>): boolean =>
  actor.role === 'admin' || actor.id === personId;

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
export function refuseCallback({ record, egressOf }: A2aCall, asked: TaskPushNotificationConfig): string | null {
  const to = judgeCallback(asked.url, record.spec, egressOf(record.agentId));
  return 'verdict' in to ? `url: ${to.code}: ${to.message}` : faultOf(asked);
}

/** Lets the village send the changes of a task to an address. */
export async function createCallback(
  call: A2aCall,
  asked: TaskPushNotificationConfig,
): Promise<Outcome<TaskPushNotificationConfig>> {
  const task = await readTask(call, asked.taskId);
  if (!task.ok) return task;
  const fault = refuseCallback(call, asked);
  if (fault !== null) return refused('validation_failed', fault);
  if (isOver(task.data)) return refused('validation_failed', 'taskId: the task has ended, and sends nothing more');
  const { db, caller, agentId, version } = call;
  const callbackId = asked.id === '' ? USUAL_ID : asked.id;
  const { host } = new URL(asked.url);
  const own = { agentId, personId: caller.actor.id, host, url: asked.url, token: asked.token };
  const row = { runId: task.data.id, callbackId, ...own };
  return inTransaction(db, async (tx) => {
    await lockRun(tx, row.runId);
    const all = await readCallbacks(tx, row.runId);
    const replaced = all.find((each) => each.callbackId === callbackId);
    if (replaced !== undefined && !isOwn(call, replaced)) return refused('validation_failed', TAKEN_ID);
    const others = all.filter((each) => each !== replaced);
    if (others.length >= CALLBACKS_MAX)
      return refused('validation_failed', `A task has at most ${CALLBACKS_MAX} callbacks: delete one`);
    await putCallback(tx, { ...row, version: version === OLDER_VERSION ? OLDER_VERSION : VERSION });
    const detail = { run_id: row.runId, host };
    await recordAct(tx, caller, { action: 'a2a.callback', object: agentId, detail });
    return accepted(shown(row));
  });
}

/** The callbacks of a task that the caller made; an admin reads those of everyone. */
export async function listCallbacks(
  call: A2aCall,
  taskId: string,
): Promise<Outcome<readonly TaskPushNotificationConfig[]>> {
  const task = await readTask(call, taskId);
  if (!task.ok) return task;
  const all = await readCallbacks(call.db, task.data.id);
  return accepted(all.filter((each) => isOwn(call, each)).map(shown));
}

export async function getCallback(
  call: A2aCall,
  taskId: string,
  id: string,
): Promise<Outcome<TaskPushNotificationConfig>> {
  const all = await listCallbacks(call, taskId);
  if (!all.ok) return all;
  const found = all.data.find((each) => each.id === (id === '' ? USUAL_ID : id));
  return found === undefined ? refused('validation_failed', `id: the task has no callback ${id}`) : accepted(found);
}

export async function removeCallback(call: A2aCall, taskId: string, id: string): Promise<Outcome<null>> {
  const own = await listCallbacks(call, taskId);
  if (!own.ok) return own;
  const found = own.data.find((each) => each.id === (id === '' ? USUAL_ID : id));
  if (found !== undefined) await deleteCallback(call.db, found.taskId, found.id);
  return accepted(null);
}
