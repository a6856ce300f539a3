import { agentRunOf } from '../../flow/agent-stage.ts';
import { keptOutcome } from '../../effects/kept-outcome.ts';
import type { Journal, JournalEntry } from '../../journal/journal.ts';
import { executionOutput } from '../tools/execution.ts';
import type { MutationSummary } from '../tools/mutation.ts';
import { rollback, type RolledBack } from '../tools/rollback.ts';
import type { Workspace } from '../tools/workspace.ts';

/** Entries of the journal that are read at once. */
const PAGE = 1_000;

/**
 * Restores the files that the tools of a task and of its agents changed, the last change first. A file that changed since stays as it is,
 * with the reason.
 */
export async function rollBackTask(
  journal: Journal,
  workspace: Workspace,
  task: string,
): Promise<readonly RolledBack[]> {
  const own = entriesOf(journal, task);
  const entries = [...own, ...agentRuns(task, own).flatMap((run) => entriesOf(journal, run))];
  const summaries = entries.toSorted((one, other) => other.seq - one.seq).map((entry) => mutationsIn(journal, entry));
  const ends: RolledBack[] = [];
  for (const summary of summaries) ends.push(...(await rollback(workspace, summary)));
  return ends;
}

function entriesOf(journal: Journal, run: string): readonly JournalEntry[] {
  const entries: JournalEntry[] = [];
  for (let seq = 0; ; seq = entries.at(-1)?.seq ?? seq) {
    const page = journal.readRunAfter(run, seq, PAGE);
    entries.push(...page);
    if (page.length < PAGE) return entries;
  }
}

const agentRuns = (task: string, entries: readonly JournalEntry[]): readonly string[] =>
  entries.flatMap(({ event }) =>
    event.type === 'stage_opened' && event.flow !== undefined
      ? [agentRunOf(task, { id: event.stage, round: event.flow.round, attempt: event.flow.attempt })]
      : [],
  );

/** Empty for other events, and for a result that was deleted. */
function mutationsIn(journal: Journal, { event }: JournalEntry): MutationSummary {
  if (event.type !== 'tool_settled' || event.outcome !== 'ok') return [];
  const text = journal.textOf(event.result);
  const isPlain = event.plain === true;
  return text === null ? [] : executionOutput(keptOutcome({ text, isPlain }), null).mutations;
}
