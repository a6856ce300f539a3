import { setTimeout as delay } from 'node:timers/promises';
import { RUN_REASON_MAX_CHARS, RUN_RENEW_EVERY_S, RUN_SUMMARY_MAX_CHARS } from '@hamlet/contract/resident';
import type { Refusal, Run, RunStep } from '@hamlet/contract';
import { RunFailure, type AgentRuntime, type RuntimeContext, type RunWork } from '@hamlet/engine';
import { seedOf } from '../brain/chance.ts';
import { CycleOver, rejectOnAbort, retry } from '../village/retry.ts';
import type { RunEnd, RunLease, Village } from '../village/village.ts';
import { createRunWork, LeaseLost, type Progress, type RunWorkPorts, type StartedRun } from './run-work.ts';
import type { TurnGate } from './turn-gate.ts';

/** The agent gives up a run after this time. */
export const RUN_TIME_LIMIT_MS = 900_000;
const WORDS_OF_WORK = 80;
/** Refusals of a renewal that end the lease. Any other refusal, for example because of a measure, may be temporary. */
const LOST: ReadonlySet<Refusal> = new Set<Refusal>(['claim_lapsed', 'run_settled', 'run_not_started', 'no_such_run']);

export interface TakePorts extends RunWorkPorts {
  readonly execute: AgentRuntime['execute'];
  readonly turnGate: TurnGate;
  readonly repository: { readonly url: string; readonly branch: string } | null;
  readonly seed: number;
  /** Called once the API has stored the end of a run. */
  readonly onEnded: (run: Run, ended: EndedRun) => void;
}

/** Ends the work on a run that a person has cancelled. */
export class RunCancelled extends Error {}

/** The end of a run, without its lease. */
export type EndedRun = Omit<RunEnd, keyof RunLease>;

/**
 * Works on a run until the API has stored its end. `cancelled` aborts with RunCancelled when a person cancels, and with
 * any other reason when the process ends: then the next cycle continues the run. Rejects with CycleOver.
 * Resolves with true when the resident is done with the run, also when its lease has lapsed; with false when the API
 * accepts no end now, for example because of a measure.
 */
export async function takeRun(ports: TakePorts, run: Run, cancelled: AbortSignal): Promise<boolean> {
  const { village, cycle, turnGate } = ports;
  // A cancelled run is settled too: only the end of the process prevents that.
  const ending = new AbortController();
  const onAbort = (): void => {
    if (!(cancelled.reason instanceof RunCancelled)) ending.abort(cancelled.reason);
  };
  if (cancelled.aborted) onAbort();
  else cancelled.addEventListener('abort', onAbort, { once: true });
  try {
    const started = await retry(() => village.startRun(run.run_id, cycle), ending.signal, ports);
    if (started.kind === 'refused') return started.code === 'run_settled';
    await turnGate.begin(run.prompt.slice(0, WORDS_OF_WORK));
    const lease: RunLease = { cycle, attempt: started.value.run.attempt };
    const ended = await workUnderLease(ports, { ...started.value, lease }, cancelled);
    if (ended === null) return false;
    if (ended === 'lost') return true;
    const answer = await retry(() => village.settleRun(run.run_id, { ...lease, ...ended }), ending.signal, ports);
    if (answer.kind === 'ok') ports.onEnded(run, ended);
    return answer.kind === 'ok' || answer.code === 'run_settled' || answer.code === 'claim_lapsed';
  } finally {
    cancelled.removeEventListener('abort', onAbort);
    turnGate.end();
  }
}

/**
 * Renews a run's lease until the run is over or the lease is lost. It repeats an unanswered renewal at the next
 * interval.
 */
export async function renewUntilOver(
  village: Pick<Village, 'renewRun'>,
  { runId, lease, over }: { readonly runId: string; readonly lease: RunLease; readonly over: AbortSignal },
  everyMs = RUN_RENEW_EVERY_S * 1_000,
): Promise<'over' | 'lost'> {
  for (;;) {
    await delay(everyMs, undefined, { signal: over }).catch(() => {});
    if (over.aborted) return 'over';
    const answer = await village.renewRun(runId, lease);
    if (answer.kind === 'stale' || (answer.kind === 'refused' && LOST.has(answer.code))) return 'lost';
  }
}

/** The end of the run; null when the process ends first; `lost` when the lease is lost first. */
async function workUnderLease(
  ports: TakePorts,
  started: StartedRun & { readonly lease: RunLease },
  cancelled: AbortSignal,
): Promise<EndedRun | 'lost' | null> {
  const { run, lease } = started;
  const [over, lost] = [new AbortController(), new AbortController()];
  const renewed = { runId: run.run_id, lease, over: AbortSignal.any([over.signal, cancelled]) };
  void renewUntilOver(ports.village, renewed).then((end) => {
    if (end === 'lost') lost.abort(new LeaseLost('the lease of the run has lapsed'));
  });
  try {
    const ended = await workOn(ports, started, AbortSignal.any([cancelled, lost.signal]));
    return lost.signal.aborted ? 'lost' : ended;
  } catch (error) {
    if (error instanceof LeaseLost) return 'lost';
    throw error;
  } finally {
    over.abort();
  }
}

/** The end of the run; null when the process ends first. Rejects with LeaseLost and CycleOver. */
async function workOn(ports: TakePorts, started: StartedRun, cancelled: AbortSignal): Promise<EndedRun | null> {
  const { run, steps } = started;
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(RUN_TIME_LIMIT_MS)]);
  const { work, progress } = createRunWork(ports, started, signal);
  if (run.cancel_requested_at !== null) return cancelledEnd(progress, steps);
  try {
    const execution = ports.execute(run.prompt, contextOf(ports, run, { signal, work }));
    const summary = await Promise.race([execution, rejectOnAbort(signal)]);
    return { state: 'done', summary: cut(summary.trim() === '' ? 'Done.' : summary, RUN_SUMMARY_MAX_CHARS) };
  } catch (error) {
    if (error instanceof CycleOver || error instanceof LeaseLost) throw error;
    if (!cancelled.aborted) return failedEnd(error, progress);
    return cancelled.reason instanceof RunCancelled ? cancelledEnd(progress, []) : null;
  }
}

function contextOf(
  { repository, seed }: TakePorts,
  run: Run,
  { signal, work }: { readonly signal: AbortSignal; readonly work: RunWork },
): RuntimeContext {
  return {
    repository: repository?.url ?? null,
    branch: repository?.branch ?? null,
    speaker: run.schedule === null ? `a ${run.created_by.role}` : `the schedule ${run.schedule.name}`,
    place: null,
    plan: 'at work on something I was asked to do',
    work,
    seed: seedOf(seed, run.run_id),
    signal,
  };
}

function cut(text: string, max: number): string {
  const characters = [...text.replaceAll('\u0000', '')];
  return characters.length <= max ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`;
}

/** Reports the steps that are done, and the step whose result is unknown. */
function cancelledEnd({ done, underWay }: Progress, steps: readonly RunStep[]): EndedRun {
  const before = [...steps.map(({ text }) => text), ...done];
  const report =
    before.length === 0 ? 'Cancelled before anything was done.' : `Cancelled. Done before that: ${before.join(' ')}`;
  const summary = underWay === null ? report : `${report} I was ${underWay}; that may have taken effect.`;
  return { state: 'cancelled', summary: cut(summary, RUN_SUMMARY_MAX_CHARS) };
}

function failedEnd(error: unknown, { done }: Progress): EndedRun {
  const message = error instanceof Error ? error.message : String(error);
  const timedOut = error instanceof Error && error.name === 'TimeoutError';
  const code = error instanceof RunFailure ? error.code : timedOut ? 'timed_out' : 'runtime_failed';
  const summary = done.length === 0 ? message : `${done.join(' ')} ${message}`;
  return {
    state: 'failed',
    summary: cut(summary || 'It failed.', RUN_SUMMARY_MAX_CHARS),
    error: { code: cut(code, 64), message: cut(message || code, RUN_REASON_MAX_CHARS) },
  };
}
