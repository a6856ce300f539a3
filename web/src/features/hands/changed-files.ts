import type { HandsCall } from '@hamlet/contract';
import { diffLines, fileChanges } from './hands-labels.ts';
import { netDiff } from './net-diff.ts';

/** A file that a run changed. `diffs` has one diff of all edits, or each edit if the edits cannot be joined. */
export interface ChangedFile {
  readonly path: string;
  readonly diffs: readonly string[];
  readonly edits: number;
  /** True if none of the changes are left. */
  readonly undone: boolean;
}

/** The files of a run in the order of their first edit. */
export function changedFiles(calls: readonly HandsCall[], undos: readonly HandsCall[]): readonly ChangedFile[] {
  const byPath = Map.groupBy(fileChanges(calls, undos), ({ path }) => path);
  return [...byPath].map(([path, changes]) => {
    const diffs = changes.map(({ diff }) => diff);
    const net = netDiff(diffs);
    return {
      path,
      diffs: net === null ? diffs : net === '' ? [] : [net],
      edits: changes.length,
      undone: net === '' || changes.every(({ undone }) => undone),
    };
  });
}

/** The number of changed lines, and of the edits if there were several: `+3 −1 · 2 edits`. */
export function fileLabel({ diffs, edits, undone }: Omit<ChangedFile, 'path'>): string {
  const counts = diffs.map(diffLines);
  const sum = (of: 'added' | 'removed'): number => counts.reduce((total, count) => total + count[of], 0);
  return [`+${sum('added')} −${sum('removed')}`, edits > 1 ? `${edits} edits` : '', undone ? 'undone' : '']
    .filter((part) => part !== '')
    .join(' · ');
}
