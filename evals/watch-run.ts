/** Follows a run as the person who gave it: answers questions, reboots the agent, and cancels the run after its time. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  answerPermission,
  cancelRun,
  dataOf,
  getRun,
  isEgressTool,
  listCalls,
  listPermissions,
  rebootAgent,
} from '@hamlet/contract';
import type { Client, Permission, Run } from '@hamlet/contract';
import type { EvalTask } from './task.ts';

/** Number of failed looks in a row after which the run counts as lost. Looks also fail during a restart of the API. */
const FAILURES_MAX = 30;
/** Time for a cancelled run to end. */
const CANCEL_MS = 120_000;

export interface Watched {
  readonly client: Client;
  readonly agentId: string;
  readonly runId: string;
  readonly task: Pick<EvalTask, 'play' | 'agentS'>;
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  onProgress?(run: Run): void;
}

export interface WatchedRun {
  readonly run: Run;
  readonly isRebooted: boolean;
  readonly isOverTime: boolean;
}

type Asked = Pick<Permission, 'why' | 'tool' | 'arguments'>;

/**
 * The answer of the person who gave the task. Unless the task names words to refuse, everything that stays in the pod
 * is allowed. Pure.
 */
export function answerTo({ why, tool, arguments: text }: Asked, { deny, deny_if }: EvalTask['play']) {
  if (why === 'unknown')
    return { answer: 'happened', reply: 'The machine restarted. Find out what is done before you continue.' } as const;
  if (why === 'question')
    return { answer: 'allow', reply: deny ?? 'Decide yourself what fits the task best.' } as const;
  if (deny !== undefined && deny_if.test(`${tool} ${text}`)) return { answer: 'deny', reply: deny } as const;
  if (isEgressTool(tool)) return { answer: 'deny', reply: 'This task needs nothing from outside.' } as const;
  return { answer: 'allow' } as const;
}

/** Answers all questions. True if the agent was rebooted. Ignores refusals: another person answered first. */
async function act({ client, agentId, runId, task: { play } }: Watched, isRebooted: boolean): Promise<boolean> {
  const { permissions } = await dataOf(
    client.call(listPermissions, { query: { agent_id: agentId, state: 'pending' } }),
  );
  for (const permission of permissions) {
    const { permission_id } = permission;
    await client.call(answerPermission, { params: { permission_id }, body: answerTo(permission, play) });
  }
  if (isRebooted || play.reboot_after_calls === undefined) return isRebooted;
  const { calls } = await dataOf(client.call(listCalls, { query: { run_id: runId, limit: 50 } }));
  if (calls.length < play.reboot_after_calls) return false;
  await dataOf(client.call(rebootAgent, { params: { agent_id: agentId } }));
  return true;
}

/** Cancels the run; false if that failed. Throws if the person stops the eval. */
async function cancel({ client, runId, signal }: Watched): Promise<boolean> {
  const body = { reason: signal.aborted ? 'The eval was stopped' : 'The time of the task is over' };
  const cancelled = await client.call(cancelRun, { params: { run_id: runId }, body }).catch(() => null);
  signal.throwIfAborted();
  return cancelled?.ok === true;
}

/** The run after its end. An abort cancels it and throws; it also throws if the API stays unreachable. */
export async function watchRun(watched: Watched): Promise<WatchedRun> {
  const { client, runId, task, signal } = watched;
  const params = { run_id: runId };
  const limitMs = task.agentS * 1_000;
  const began = performance.now();
  let [isRebooted, isOverTime, failures] = [false, false, 0];
  while (performance.now() - began < limitMs + CANCEL_MS) {
    try {
      const { run } = await dataOf(client.call(getRun, { params }));
      if (run.ended_at !== null) return { run, isRebooted, isOverTime };
      watched.onProgress?.(run);
      isRebooted = await act(watched, isRebooted);
      failures = 0;
    } catch (error) {
      if ((failures += 1) > FAILURES_MAX) throw error;
    }
    if (signal.aborted || (!isOverTime && performance.now() - began > limitMs)) {
      isOverTime = await cancel(watched);
    }
    await sleep(watched.pauseMs, undefined, { signal }).catch(() => undefined);
  }
  throw new Error(`run ${runId} did not end after its cancel`);
}
