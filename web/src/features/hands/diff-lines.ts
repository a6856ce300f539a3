/** One line of a change: `hunk` names a place in the file, `note` says something about the line before it. */
export type DiffLine = Readonly<{ kind: 'added' | 'removed' | 'same' | 'hunk' | 'note'; text: string }>;

/** Most lines that a page shows of one change. */
export const DIFF_LINES_MAX = 600;

export interface ShownDiff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
  /** Lines of the change that are not shown. */
  readonly left: number;
}

const KINDS: Readonly<Record<string, DiffLine['kind'] | undefined>> = {
  '+': 'added',
  '-': 'removed',
  ' ': 'same',
  '@': 'hunk',
  '\\': 'note',
};

/** The lines of a unified diff without its names of files. The diff is a claim of the agent: any text gives lines. */
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
