import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from '@hamlet/contract';
import type { CallContext } from '@hamlet/engine';
import type { Taken } from '../runs/take-run.ts';
import { shorten } from '@hamlet/core/shorten';
import { rejectOnAbort } from '../village/retry.ts';
import { askVillage, outcomeIn } from './outward.ts';
import { answered } from './reading.ts';
import { codeOf, failed, okay, type ToolKit, type ToolResult } from './tool-kit.ts';

/** Pause before the next check of a worker that waits for people, or whose result the API did not accept. */
const LOOK_EVERY_MS = 1_000;
/** Minimum wait for a parked worker, if the clock of the pod is ahead. */
const PARKED_MIN_MS = 60_000;
const PROMPT_MAX_CHARS = 200;

type Delegating = Pick<ToolKit, 'work' | 'book' | 'childRuns' | 'mirrored' | 'rest' | 'random'>;

/** Starts a worker and works on it until it has ended; the result is its envelope. */
export const delegateWork = (kit: ToolKit, context: CallContext): Promise<ToolResult> =>
  workByWorker(kit, context, { tool: 'delegate', resultOf });

/**
 * Starts a worker and works on it until it has ended. The API has one worker for each call, so after a kill the repeated call finds it and
 * continues it. `tool`: the tool of the village that starts the worker. `resultOf`: the result of a worker that has ended.
 */
export async function workByWorker(
  kit: Delegating,
  context: CallContext,
  { tool, resultOf: resultOfWorker }: Readonly<{ tool: string; resultOf: (worker: Worker) => ToolResult }>,
): Promise<ToolResult> {
  try {
    const answer = await askUntilPlace(kit, tool, context);
    if ('result' in answer) return answer.result;
    const { outcome } = answer;
    const runId = outcome.data?.['run_id'];
    if (outcome.kind !== 'ok' || typeof runId !== 'string') return outcomeIn(outcome);
    const worker = await untilEnded(kit, runId, context.signal);
    return 'kind' in worker ? worker : resultOfWorker(worker);
  } catch (error) {
    // The worker is cancelled or released together with the run that waits for it.
    if (context.signal.aborted) return { kind: 'unknown', text: 'This run stopped waiting for its worker.' };
    throw error;
  }
}

/** Asks until the API gives a final answer: while other workers are active, a stage waits for a place among them. */
async function askUntilPlace(kit: Delegating, tool: string, context: CallContext): ReturnType<typeof askVillage> {
  for (;;) {
    const answer = await askVillage(kit, tool, context);
    if ('result' in answer || answer.outcome.data?.['again'] !== true) return answer;
    await delay(LOOK_EVERY_MS, undefined, { signal: context.signal });
  }
}

/** The worker that has ended, or why the call ends without it. */
async function untilEnded(kit: Delegating, runId: string, signal: AbortSignal): Promise<Worker | ToolResult> {
  for (let taken: Taken | null = null; ;) {
    signal.throwIfAborted();
    const [worker] = await answered(kit, signal, () => kit.work.workers({ active: false, run: runId }));
    if (worker === undefined) return failed('worker_forgotten', `The village has forgotten the worker ${runId}.`);
    if (worker.envelope !== null) return worker;
    const { parked = null, state } = worker.run;
    // The API decides by its own clock whether the worker may start again.
    if (parked !== null && taken !== null) return parkedUntil(parked);
    // If the API does not show the end at the next check, the check is repeated after a pause, so that the loop does not spin.
    const isTakeable: boolean = taken !== 'ended' && state !== 'waiting_permission';
    taken = isTakeable ? await Promise.race([kit.childRuns.take(worker.run), rejectOnAbort(signal)]) : null;
    if (taken !== 'ended') await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** The worker waits for its model, perhaps for hours, and its parent with it. */
const parkedUntil = ({ until, code }: NonNullable<Worker['run']['parked']>): ToolResult => ({
  kind: 'parked',
  code: codeOf(code),
  waitMs: Math.max(PARKED_MIN_MS, Date.parse(until) - Date.now()),
});

function resultOf({ run, envelope }: Worker): ToolResult {
  const text = JSON.stringify({ run_id: run.run_id, ...envelope });
  return run.state === 'done' ? okay(text) : failed(codeOf(run.error?.code ?? run.state), text);
}

export async function listOwnWorkers(
  kit: ToolKit,
  { active }: { readonly active: boolean },
  signal: AbortSignal,
): Promise<ToolResult> {
  const workers = await answered(kit, signal, () => kit.work.workers({ active }));
  if (workers.length === 0) return okay(active ? 'No worker is active.' : 'There are no workers.');
  return okay(workers.map(workerInWords).join('\n'));
}

function workerInWords({ run, envelope }: Worker): string {
  const { tokens, cost } = run.usage;
  const end = envelope === null ? '' : `; result: ${JSON.stringify(envelope)}`;
  return `- ${run.run_id}, ${run.worker?.role ?? 'worker'}, ${run.state}, ${tokens} tokens, ${cost} aiDollars: ${shorten(run.prompt, PROMPT_MAX_CHARS)}${end}`;
}
