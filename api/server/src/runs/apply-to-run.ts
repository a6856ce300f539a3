import type { Mind, RunBudgets, RunError } from '@hamlet/contract';
import { decideRun, isSettled, RUN_ATTEMPTS_MAX } from '@hamlet/core';
import type { RunCommand, RunProgress, RunRefusal, RunVerdict } from '@hamlet/core';
import {
  announceSchedule,
  changeRun,
  hintAgents,
  lockRun,
  lockRunTree,
  markProgress,
  pruneScheduleOf,
  readUnsettledCalls,
  readWorkersUnderWay,
  renewClaim,
} from '@hamlet/store';
import type { Parking, RunRow, RunUsageClaim, Tx } from '@hamlet/store';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { followRun } from '../sessions/transcript/follow-run.ts';
import { reportRun } from './report-run.ts';

interface RunWords {
  readonly summary?: string | undefined;
  readonly error?: RunError | undefined;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly answer?: string | undefined;
  readonly claimed?: RunUsageClaim | undefined;
  readonly unsettled?: readonly string[] | undefined;
  readonly budgets?: RunBudgets | undefined;
  readonly runtime?: string | undefined;
  readonly mind?: Mind | undefined;
  readonly parked?: Parking | undefined;
  /** Why the output of the run does not fit its schema. */
  readonly unfit?: string | undefined;
}

export interface Applied {
  readonly run: RunRow;
  readonly changed: boolean;
}

const BY_AGENT: ReadonlySet<RunCommand['kind']> = new Set<RunCommand['kind']>([
  'start',
  'step',
  'renew',
  'journal',
  'wait',
  'park',
  'settle',
]);
/** Commands that may end or cancel a run, and with it its workers. */
const MAY_END: ReadonlySet<RunCommand['kind']> = new Set<RunCommand['kind']>([
  'start',
  'park',
  'settle',
  'cancel',
  'lapse',
  'give_up',
]);
const FAILED: Readonly<Record<Extract<RunVerdict, { kind: 'failed' }>['code'], string>> = {
  too_many_attempts: `The agent started this run ${RUN_ATTEMPTS_MAX} times in a row without progress`,
  parked_too_long: 'The run waited too long for its model in all: a week, or 200 times',
  run_did_nothing: 'The agent ended this run as done, but without an effect or an answer',
  output_not_valid: 'The agent ended this run as done, but without an answer that fits its output schema',
};

function progressOf({ state, attempt, progressAttempt, cycle, cancelRequestedAt }: RunRow): RunProgress {
  return { state, attempt, progressAttempt, cycle, cancelRequested: cancelRequestedAt !== null };
}

function refusalOf(reason: RunRefusal, run: RunRow): Refused {
  switch (reason) {
    case 'run_settled':
      return refused(reason, `The run is ${run.state}`);
    case 'stale_cycle':
      return refused(reason, `Cycle ${run.cycle} of the agent has started this run`);
    case 'run_not_started':
    case 'run_waiting':
    case 'run_parked':
    case 'claim_lapsed':
    case 'cancel_not_requested':
      return refused(reason);
  }
}

/** Applies a command to a locked run. The caller of one that may end or cancel the run has locked its workers too. */
export async function applyToHeldRun(
  tx: Tx,
  run: RunRow,
  asked: { readonly command: RunCommand; readonly words: RunWords },
): Promise<Outcome<Applied>> {
  const { command, words } = asked;
  const verdict = decideRun(progressOf(run), command);
  switch (verdict.kind) {
    case 'refused':
      return refusalOf(verdict.reason, run);
    case 'same':
      return accepted({ run, changed: false });
    case 'renewed':
      await renewClaim(tx, run.runId);
      return accepted({ run, changed: false });
    case 'progressed':
      await markProgress(tx, run, verdict.next.progressAttempt);
      return accepted({ run, changed: false });
    case 'change':
      return accepted({ run: await write(tx, run, { verdict, command, words }), changed: true });
    case 'failed': {
      const { code } = verdict;
      const error: RunError = { code, message: words.unfit ?? FAILED[code] };
      // People read the words that do not fit.
      const summary = code === 'output_not_valid' ? words.summary : undefined;
      const failing = { ...words, summary, error, detail: { code } };
      return accepted({ run: await write(tx, run, { verdict, command, words: failing }), changed: true });
    }
  }
}

interface Decided {
  readonly verdict: Extract<RunVerdict, { kind: 'change' | 'failed' }>;
  readonly command: RunCommand;
  readonly words: RunWords;
}

async function write(tx: Tx, run: RunRow, { verdict, command, words }: Decided): Promise<RunRow> {
  const { next, event } = verdict;
  const { detail, answer, unfit: _, ...rest } = words;
  const ends = event === 'settled';
  // The agent names the calls whose end is unknown. For a run that the API ends, the journal names them.
  const unsettled = ends ? (words.unsettled ?? (await readUnsettledCalls(tx, run.runId))) : undefined;
  const changed = await changeRun(tx, run, {
    ...rest,
    ...next,
    unsettled,
    byAgent: BY_AGENT.has(command.kind) && next.state === 'running',
    event,
    detail: { ...(ends ? { state: next.state } : {}), ...detail },
  });
  if (command.kind !== 'step') await reportRun(tx, changed, true);
  await followRun(tx, changed, answer);
  if (ends || command.kind === 'cancel') await cancelWorkers(tx, changed);
  return changed;
}

/** Cancels the workers of a run that ends; their own workers follow. The caller has locked them with the run. */
const cancelWorkers = (tx: Tx, { runId, state }: RunRow): Promise<void> =>
  cancelWorkersOf(tx, runId, isSettled(state) ? 'parent_ended' : 'parent_cancelled');

/** Cancels the workers under way of a run, for the reason `code`. The caller has locked them with the run. */
export async function cancelWorkersOf(tx: Tx, runId: string, code: string): Promise<void> {
  for (const worker of await readWorkersUnderWay(tx, runId))
    await applyToRun(tx, worker, { command: { kind: 'cancel' }, words: { detail: { code } }, permit: () => null });
}

async function follow(tx: Tx, run: RunRow, { kind }: RunCommand): Promise<void> {
  if (isSettled(run.state)) await concludeRun(tx, run);
  else if (kind === 'cancel' || kind === 'lapse' || kind === 'resume') await hintAgents(tx, [run.agentId]);
}

/** Concludes an ended run: prunes the history of its Schedule, hints that the next run may start, and notifies the operator of the schedule's activity. */
async function concludeRun(tx: Tx, run: RunRow): Promise<void> {
  await pruneScheduleOf(tx, run);
  await hintAgents(tx, [run.agentId]);
  if (run.scheduleUid !== null) await announceSchedule(tx, run.scheduleUid);
}

/** Applies a command to a run as core decides, if `permit` allows it, and concludes a run that has ended. Call it last in a transaction. */
export async function applyToRun(
  tx: Tx,
  runId: string,
  asked: { readonly command: RunCommand; readonly words: RunWords; readonly permit: (run: RunRow) => Refused | null },
): Promise<Outcome<Applied>> {
  const run = await (MAY_END.has(asked.command.kind) ? lockRunTree : lockRun)(tx, runId);
  if (run === null) return refused('no_such_run');
  const denied = asked.permit(run);
  if (denied !== null) return denied;
  const outcome = await applyToHeldRun(tx, run, asked);
  if (!outcome.ok || !outcome.data.changed) return outcome;
  await follow(tx, outcome.data.run, asked.command);
  return outcome;
}
