import type { CallReport, HandsCall, Worker } from '@hamlet/contract';
import { lengthLabel } from '../../ui/time-labels.ts';
import { moneyLabel } from '../../client/labels.ts';

/** The outcome of a command: `exit 0 · 0.4 s · in /workspace/app`. */
export function endLabel({ state, report }: Pick<HandsCall, 'state' | 'report'>): string {
  const { exit, duration_ms: took, cwd } = report ?? {};
  const ended = exit === undefined ? STATES[state] : exit === null ? 'ended by a signal' : `exit ${exit}`;
  return [ended, took === undefined ? '' : lengthLabel(took), cwd === undefined ? '' : `in ${cwd}`]
    .filter((part) => part !== '')
    .join(' · ');
}
const STATES: Readonly<Record<HandsCall['state'], string>> = { begun: 'under way', ended: '', unknown: 'end unknown' };

type FileChange = Readonly<{ call: HandsCall; path: string; diff: string; undone: boolean }>;

/** Oldest first. Only a later undo counts, because change numbers start again after a lost volume. */
export function fileChanges(calls: readonly HandsCall[], undos: readonly HandsCall[]): readonly FileChange[] {
  return calls
    .flatMap((call) => {
      const { path, diff } = call.report ?? {};
      if (path === undefined || diff === undefined || diff === '' || call.outcome?.kind !== 'ok') return [];
      return [{ call, path, diff, undone: undoneIn(call, [...undos, ...calls]) }];
    })
    .toSorted((a, b) => a.call.begun_at.localeCompare(b.call.begun_at));
}

/** An undo of an undo restores the change. */
function undoneIn(call: HandsCall, undos: readonly HandsCall[]): boolean {
  const { change, path } = call.report ?? {};
  if (change === undefined) return false;
  const undo = undos.find(
    ({ agent_id: agent, begun_at: at, outcome, report }) =>
      agent === call.agent_id &&
      outcome?.kind === 'ok' &&
      report?.undoes === change &&
      report.path === path &&
      at > call.begun_at,
  );
  return undo !== undefined && !undoneIn(undo, undos);
}

export function hasOutput({ stdout = '', stderr = '' }: Pick<CallReport, 'stdout' | 'stderr'>): boolean {
  return stdout !== '' || stderr !== '';
}

export function workerUse({ usage }: Pick<Worker['run'], 'usage'>): string {
  return `${usage.tokens.toLocaleString('en')} tokens · ${moneyLabel(usage.cost)}`;
}

/** One line of a change: `hunk` names a place in the file, `note` says something about the line before it. */
export type DiffLine = Readonly<{ kind: 'added' | 'removed' | 'same' | 'hunk' | 'note'; text: string }>;

export const DIFF_LINES_MAX = 600;

type ShownDiff = Readonly<{ lines: readonly DiffLine[]; added: number; removed: number; left: number }>;

const KINDS: Readonly<Record<string, DiffLine['kind'] | undefined>> = {
  '+': 'added',
  '-': 'removed',
  ' ': 'same',
  '@': 'hunk',
  '\\': 'note',
};

/** The lines of a unified diff without file names. Accepts any text, because the agent wrote the diff. */
export function diffLines(diff: string): ShownDiff {
  const all = diff.split('\n');
  const named = all[0]?.startsWith('--- ') === true && all[1]?.startsWith('+++ ') === true ? 2 : 0;
  const body = all.slice(named, all.at(-1) === '' ? -1 : undefined).map(lineOf);
  const count = (kind: DiffLine['kind']): number => body.filter((line) => line.kind === kind).length;
  return {
    lines: body.slice(0, DIFF_LINES_MAX),
    added: count('added'),
    removed: count('removed'),
    left: Math.max(0, body.length - DIFF_LINES_MAX),
  };
}

function lineOf(line: string): DiffLine {
  const kind = KINDS[line.charAt(0)] ?? 'note';
  return { kind, text: kind === 'hunk' || kind === 'note' ? line.replace(/^\\ /, '') : line.slice(1) };
}
