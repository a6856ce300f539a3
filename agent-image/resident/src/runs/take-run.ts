import { RUN_REASON_MAX_CHARS, RUN_SUMMARY_MAX_CHARS } from '@hamlet/contract/resident';
import type { Run, RunStep } from '@hamlet/contract';
import { RunFailure } from '@hamlet/engine';
import type { RuntimeContext, RunWork } from '@hamlet/engine';
import { chance } from '../brain/chance.ts';
import type { Attention } from '../loop/attention.ts';
import type { Claim, RunEnd } from '../village/village.ts';
import { keepClaim } from './keep-claim.ts';
import { ClaimLost, CycleOver, untilTold } from './patience.ts';
import { createRunWork } from './run-work.ts';
import type { Progress, RunWorkPorts } from './run-work.ts';

/** A run that has not ended after so long is given up by the agent itself. */
export const RUN_TIME_LIMIT_MS = 900_000;
const WORDS_OF_WORK = 80;

/** Whatever thinks for the agent, as far as runs need it. */
export type Execute = (prompt: string, context: RuntimeContext) => Promise<string>;

export interface TakePorts extends RunWorkPorts {
  readonly execute: Execute;
  readonly attention: Attention;
  readonly repository: { readonly url: string; readonly branch: string } | null;
  readonly seed: number;
  /** Hears what became of a run, once the village knows. */
  readonly onEnded: (run: Run, ended: EndedRun) => void;
}

/** Why a run is to end before it is done. */
export class RunCancelled extends Error {}

/** How a run ended, in whatever cycle. */
export type EndedRun = Omit<RunEnd, keyof Claim>;

/**
 * Works on a run until it has ended and the village knows. `cancelled` aborts with RunCancelled when somebody wants it to end, and with any other
 * reason when the process ends: then nothing is settled, and the next cycle goes on. Rejects with CycleOver where a newer cycle has begun.
 * False where the village takes no end of it now, say because an admin holds something against the agent. True also where the claim on it has lapsed:
 * then it waits to be taken up again.
 */
export async function takeRun(ports: TakePorts, run: Run, cancelled: AbortSignal): Promise<boolean> {
  const { village, cycle, attention } = ports;
  // What is settled is settled also when it was cancelled meanwhile: only the end of the process keeps it from being told.
  const ending = new AbortController();
  const onAbort = (): void => {
    if (!(cancelled.reason instanceof RunCancelled)) ending.abort(cancelled.reason);
  };
  if (cancelled.aborted) onAbort();
  else cancelled.addEventListener('abort', onAbort, { once: true });
  try {
    const started = await untilTold(() => village.startRun(run.run_id, cycle), ending.signal, ports);
    if (started.kind === 'refused') return started.code === 'run_settled';
    await attention.begin(run.prompt.slice(0, WORDS_OF_WORK));
    const claim: Claim = { cycle, attempt: started.value.run.attempt };
    const ended = await workUnderClaim(ports, { ...started.value, claim }, cancelled);
    if (ended === null) return false;
    if (ended === 'lost') return true;
    const told = await untilTold(() => village.settleRun(run.run_id, { ...claim, ...ended }), ending.signal, ports);
    if (told.kind === 'ok') ports.onEnded(run, ended);
    return told.kind === 'ok' || told.code === 'run_settled' || told.code === 'claim_lapsed';
  } finally {
    cancelled.removeEventListener('abort', onAbort);
    attention.end();
  }
}

interface StartedRun {
  readonly run: Run;
  readonly steps: readonly RunStep[];
}

/** How the run ended; null where it has not, because the process ends, and `lost` where it is no longer this process's to end. */
async function workUnderClaim(
  ports: TakePorts,
  started: StartedRun & { readonly claim: Claim },
  cancelled: AbortSignal,
): Promise<EndedRun | 'lost' | null> {
  const { run, claim } = started;
  const [over, lost] = [new AbortController(), new AbortController()];
  void keepClaim(ports.village, { runId: run.run_id, claim, over: AbortSignal.any([over.signal, cancelled]) }).then(
    (end) => {
      if (end === 'lost') lost.abort(new ClaimLost('the claim on the run has lapsed'));
    },
  );
  try {
    const ended = await workOn(ports, started, AbortSignal.any([cancelled, lost.signal]));
    return lost.signal.aborted ? 'lost' : ended;
  } catch (error) {
    if (error instanceof ClaimLost) return 'lost';
    throw error;
  } finally {
    over.abort();
  }
}

/** How the run ended; null where it has not. Rejects with ClaimLost and CycleOver. */
async function workOn(ports: TakePorts, started: StartedRun, cancelled: AbortSignal): Promise<EndedRun | null> {
  const { run, steps } = started;
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(RUN_TIME_LIMIT_MS)]);
  const { work, progress } = createRunWork(ports, { run, noted: steps, signal });
  if (run.cancel_requested_at !== null) return cancelledEnd(progress, steps);
  try {
    const summary = await Promise.race([
      ports.execute(run.prompt, contextOf(ports, run, { signal, work })),
      aborted(signal),
    ]);
    return { state: 'done', summary: cut(summary.trim() === '' ? 'Done.' : summary, RUN_SUMMARY_MAX_CHARS) };
  } catch (error) {
    if (error instanceof CycleOver || error instanceof ClaimLost) throw error;
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
    seed: Math.floor(chance(seed, run.run_id) * 0x1_0000_0000),
    signal,
  };
}

function cut(text: string, max: number): string {
  const characters = [...text.replaceAll('\u0000', '')];
  return characters.length <= max ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`;
}

/** Says what was done before the end, and what nobody knows the end of. */
function cancelledEnd({ done, underWay }: Progress, steps: readonly RunStep[]): EndedRun {
  const before = [...steps.map(({ text }) => text), ...done];
  const told =
    before.length === 0 ? 'Cancelled before anything was done.' : `Cancelled. Done before that: ${before.join(' ')}`;
  return {
    state: 'cancelled',
    summary: cut(
      underWay === null ? told : `${told} I was ${underWay}; that may have taken effect.`,
      RUN_SUMMARY_MAX_CHARS,
    ),
  };
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

/** A runtime may ignore its signal: the end of a run does not wait for it. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const refuse = (): void => reject(signal.reason as Error);
  if (signal.aborted) refuse();
  else signal.addEventListener('abort', refuse, { once: true });
  return promise;
}
