/** One attempt of a task: the agent finds its files and gets the work in words, and tests judge the result. */
import { createRun, dataOf, listWorkers } from '@hamlet/contract';
import { shorten } from '@hamlet/core/shorten';
import type { Hands } from './hands.ts';
import { judge, layOut, movedText } from './task-folder.ts';
import type { EvalTask } from './task.ts';
import { watchRun, type Watched, type WatchedRun } from './watch-run.ts';

const WHY_CHARS = 200;

export interface AttemptPorts extends Pick<Watched, 'client' | 'agentId' | 'signal' | 'pauseMs' | 'onProgress'> {
  readonly hands: Hands;
  /** Folder of the hands that contains the folders of attempts. */
  readonly workspace: string;
}

export interface AttemptResult {
  readonly task: string;
  readonly kind: string;
  readonly attempt: number;
  readonly solved: boolean;
  readonly state: string;
  /** Why the run failed, for programs. */
  readonly code: string | null;
  /** Why the task is not solved, for people. */
  readonly why: string | null;
  readonly steps: number;
  readonly tokens: number;
  /** aiDollars. */
  readonly cost: string;
  readonly minutes: number;
}

async function giveWork(ports: AttemptPorts, task: EvalTask, prompt: string): Promise<WatchedRun> {
  const params = { agent_id: ports.agentId };
  const { run } = await dataOf(ports.client.call(createRun, { params, body: { prompt } }));
  return watchRun({ ...ports, runId: run.run_id, task });
}

interface Judged extends WatchedRun {
  readonly task: Pick<EvalTask, 'play' | 'agentS'>;
  readonly reward: number;
  readonly said: string;
  readonly workers: number;
}

/** Why the attempt does not count as solved; null if it does. Pure. */
export function whyNot({ task, run, isRebooted, isOverTime, reward, said, workers }: Judged): string | null {
  const { reboot_after_calls: reboot, workers: wanted } = task.play;
  if (isOverTime) return `not done within ${Math.round(task.agentS / 60)} minutes`;
  if (!(reward >= 1) && run.error !== null) return shorten(`${run.error.code}: ${run.error.message}`, WHY_CHARS);
  if (!(reward >= 1))
    return shorten(`${Number.isNaN(reward) ? 'the tests gave no result' : 'tests'}: ${said}`, WHY_CHARS);
  if (reboot !== undefined && !isRebooted) return 'ended before the reboot';
  return workers < wanted ? `${workers} of ${wanted} workers` : null;
}

const minutesBetween = (from: string | null, to: string | null): number =>
  from === null || to === null ? 0 : Math.round((Date.parse(to) - Date.parse(from)) / 600) / 100;

/** Throws if the village or the hands fail, so that the attempt does not count. */
export async function attemptTask(ports: AttemptPorts, task: EvalTask, attempt: number): Promise<AttemptResult> {
  const { client, hands, agentId, workspace } = ports;
  const base = `${workspace}/evals/${task.name}-${attempt}`;
  const place = { hands, task, base };
  const moved = (text: string): string => movedText(task, base, text);
  await layOut(place);
  const { before, server } = task.play;
  // The call stays open, because the supervisor of the hands ends programs without a parent.
  const serve = server === undefined ? 'true' : `echo $$ >'${base}/pid'; exec ${moved(server)}`;
  const served = hands(serve, { limitS: 2 * task.agentS }).catch(() => undefined);
  try {
    if (before !== undefined) await giveWork(ports, task, before);
    const watched = await giveWork(ports, task, moved(task.instruction));
    const { run_id, state, error, usage, started_at, ended_at } = watched.run;
    const asked = { params: { agent_id: agentId }, query: { parent_run_id: run_id } };
    const { workers } = await dataOf(client.call(listWorkers, asked));
    const why = whyNot({ ...watched, task, ...(await judge(place)), workers: workers.length });
    const used = { steps: usage.steps, tokens: usage.tokens, cost: usage.cost };
    const ended = { state, code: error?.code ?? null, why, minutes: minutesBetween(started_at, ended_at) };
    return { task: task.name, kind: task.kind, attempt, solved: why === null, ...ended, ...used };
  } finally {
    await hands(`[ ! -e '${base}/pid' ] || kill $(cat '${base}/pid'); rm -rf '${base}'`);
    await served;
  }
}
