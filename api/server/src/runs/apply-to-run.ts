import type { RunError } from '@hamlet/contract';
import { decideRun, isSettled, RUN_ATTEMPTS_MAX } from '@hamlet/core';
import type { RunCommand, RunProgress, RunRefusal } from '@hamlet/core';
import { announceSchedule, changeRun, hintAgents, lockRun, pruneHistory, renewClaim } from '@hamlet/store';
import type { RunRow, Tx } from '@hamlet/store';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';

/** Texts of a command: the result of the run, and additional fields of the run's event. */
export interface RunWords {
  readonly summary?: string | undefined;
  readonly error?: RunError | undefined;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Applied {
  readonly run: RunRow;
  readonly changed: boolean;
}

/** Commands that come only from the agent that works on the run. */
const BY_AGENT: ReadonlySet<RunCommand['kind']> = new Set<RunCommand['kind']>(['start', 'step', 'renew', 'settle']);
const SPENT: RunError = {
  code: 'too_many_attempts',
  message: `The agent started this run ${RUN_ATTEMPTS_MAX} times and never ended it`,
};

function progressOf({ state, attempt, cycle, cancelRequestedAt }: RunRow): RunProgress {
  return { state, attempt, cycle, cancelRequested: cancelRequestedAt !== null };
}

function refusalOf(reason: RunRefusal, run: RunRow): Refused {
  switch (reason) {
    case 'run_settled':
      return refused(reason, `The run is ${run.state}`);
    case 'stale_cycle':
      return refused(reason, `Cycle ${run.cycle} of the agent has started this run`);
    case 'run_not_started':
    case 'claim_lapsed':
    case 'cancel_not_requested':
      return refused(reason);
  }
}

/**
 * Applies a command to a locked run as core decides, and records the command as an event. Does not conclude a run that
 * has ended.
 */
export async function applyToHeldRun(
  tx: Tx,
  run: RunRow,
  asked: { readonly command: RunCommand; readonly words: RunWords },
): Promise<Outcome<Applied>> {
  const { command, words } = asked;
  const verdict = decideRun(progressOf(run), command);
  if (verdict.kind === 'refused') return refusalOf(verdict.reason, run);
  if (verdict.kind === 'renewed') await renewClaim(tx, run.runId);
  if (verdict.kind === 'same' || verdict.kind === 'renewed') return accepted({ run, changed: false });
  const { next, event } = verdict;
  const spent = verdict.kind === 'spent';
  const detail = {
    ...(event === 'settled' ? { state: next.state } : {}),
    ...(spent ? { code: SPENT.code } : words.detail),
  };
  const changed = await changeRun(tx, run, {
    ...next,
    byAgent: BY_AGENT.has(command.kind),
    summary: spent ? undefined : words.summary,
    error: spent ? SPENT : words.error,
    event,
    detail,
  });
  return accepted({ run: changed, changed: true });
}

/** Handles the consequences of a change: concludes an ended run, or hints to the agent to end the run or start it again. */
async function follow(tx: Tx, run: RunRow, { kind }: RunCommand): Promise<void> {
  if (isSettled(run.state)) await concludeRun(tx, run);
  else if (kind === 'cancel' || kind === 'lapse') await hintAgents(tx, [run.agentId]);
}

/** Concludes an ended run: prunes the history, hints that the next run may start, and notifies the operator of the schedule's activity. */
async function concludeRun(tx: Tx, run: RunRow): Promise<void> {
  await pruneHistory(tx, run);
  await hintAgents(tx, [run.agentId]);
  if (run.scheduleUid !== null) await announceSchedule(tx, run.scheduleUid);
}

/** Applies a command to a run as core decides, if `permit` allows it, and concludes a run that has ended. Call it last in a transaction. */
export async function applyToRun(
  tx: Tx,
  runId: string,
  asked: { readonly command: RunCommand; readonly words: RunWords; readonly permit: (run: RunRow) => Refused | null },
): Promise<Outcome<Applied>> {
  const run = await lockRun(tx, runId);
  if (run === null) return refused('no_such_run');
  const denied = asked.permit(run);
  if (denied !== null) return denied;
  const outcome = await applyToHeldRun(tx, run, asked);
  if (!outcome.ok || !outcome.data.changed) return outcome;
  await follow(tx, outcome.data.run, asked.command);
  return outcome;
}
