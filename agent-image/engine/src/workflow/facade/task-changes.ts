import { ToolOutcome } from '../../effects/tool-outcome.ts';
import { agentRunOf } from '../../flow/agent-stage.ts';
import type { Journal, JournalEntry } from '../../journal/journal.ts';
import { executionOutput } from '../tools/execution.ts';
import type { Mutation } from '../tools/mutation.ts';
import type { Task } from './task.ts';

const PAGE = 1_000;
/** Runs of an agent in one round that are looked for; a stage has at most as many attempts. */
const ATTEMPTS = 100;

/** The files that a task and its agents changed with tools, in the order of the journal. */
export function changesOf(journal: Journal, task: Task): readonly Mutation[] {
  const entries = [task.id, ...agentRuns(journal, task)].flatMap((run) => entriesOf(journal, run));
  return entries.toSorted((one, other) => one.seq - other.seq).flatMap((entry) => mutationsIn(journal, entry));
}

function agentRuns(journal: Journal, { id: task, stages }: Task): readonly string[] {
  const rounds = stages.flatMap(({ id, round }) =>
    Array.from({ length: round }, (_, index) => ({ id, round: index + 1 })),
  );
  return rounds.flatMap((stage) => {
    const runs = Array.from({ length: ATTEMPTS }, (_, index) => agentRunOf(task, { ...stage, attempt: index + 1 }));
    const none = runs.findIndex((run) => journal.rowOf(run) === null);
    return none === -1 ? runs : runs.slice(0, none);
  });
}

function entriesOf(journal: Journal, run: string): readonly JournalEntry[] {
  const found: JournalEntry[] = [];
  for (let page = journal.readRunAfter(run, 0, PAGE); page.length > 0;) {
    found.push(...page);
    page = page.length < PAGE ? [] : journal.readRunAfter(run, page.at(-1)?.seq ?? 0, PAGE);
  }
  return found;
}

function mutationsIn(journal: Journal, { event }: JournalEntry): readonly Mutation[] {
  if (event.type !== 'tool_settled' || event.outcome !== 'ok') return [];
  const text = journal.textOf(event.result);
  return text === null ? [] : executionOutput(ToolOutcome.parse(JSON.parse(text)), null).mutations;
}
