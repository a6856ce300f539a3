/** A line of a file after some edits: of the original file by its number, or added since (`origin` null). */
type Known = Readonly<{ text: string; origin: number | null }>;
/** Lines of the original file that no edit has shown; the last gap has no end. */
type Gap = Readonly<{ from: number; count: number }>;
type Piece = Known | Gap;

type Hunk = Readonly<{ at: number; lines: readonly string[] }>;
type State = { pieces: Piece[]; readonly originals: Map<number, string> };
type Row = Readonly<{ sign: ' ' | '-' | '+'; text: string }> | Readonly<{ sign: 'gap'; count: number }>;

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/;
const CONTEXT_LINES = 3;

/**
 * One unified diff for several edits of a file, given oldest first: the difference between the file before the first and
 * after the last. Empty if the edits cancel each other; null if a diff is cut or does not follow from those before it.
 */
export function netDiff(diffs: readonly string[]): string | null {
  const state: State = { pieces: [{ from: 1, count: Infinity }], originals: new Map() };
  for (const diff of diffs) {
    const hunks = hunksOf(diff);
    if (hunks === null) return null;
    // From the end, so that the places of earlier hunks stay true.
    if (!hunks.toReversed().every((hunk) => apply(state, hunk))) return null;
  }
  return textOf(rowsOf(state));
}

function hunksOf(diff: string): readonly Hunk[] | null {
  const lines = diff
    .replace(/^--- .*\n\+\+\+ .*\n/, '')
    .replace(/\n$/, '')
    .split('\n');
  const hunks: { at: number; lines: string[] }[] = [];
  for (const line of lines) {
    const header = HEADER.exec(line);
    const open = hunks.at(-1);
    if (header !== null) hunks.push({ at: Number(header[1]) - (header[2] === '0' ? 0 : 1), lines: [] });
    else if (open === undefined || !/^[-+ \\]/.test(line)) return null;
    else if (!line.startsWith('\\')) open.lines.push(line);
  }
  return hunks;
}

const isGap = (piece: Piece): piece is Gap => 'count' in piece;

/** Applies a hunk to the pieces. False if the file is known to look otherwise. */
function apply(state: State, { at, lines }: Hunk): boolean {
  let index = splitAt(state.pieces, at);
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith('+')) {
      state.pieces.splice(index, 0, { text, origin: null });
      index += 1;
      continue;
    }
    const known = takeLine(state, index, text);
    if (known === null) return false;
    if (line.startsWith('-')) state.pieces.splice(index, 1);
    else index += 1;
  }
  return true;
}

/** The index of the piece that begins after `line` lines; splits a gap if necessary. */
function splitAt(pieces: Piece[], line: number): number {
  let left = line;
  for (let index = 0; index < pieces.length; index += 1) {
    if (left === 0) return index;
    const piece = pieces[index];
    if (piece === undefined || !isGap(piece)) left -= 1;
    else if (piece.count <= left) left -= piece.count;
    else {
      pieces.splice(
        index,
        1,
        { from: piece.from, count: left },
        { from: piece.from + left, count: piece.count - left },
      );
      return index + 1;
    }
  }
  return pieces.length;
}

/** The line at an index, taken out of its gap if it is in one; null if the line has another text. */
function takeLine({ pieces, originals }: State, index: number, text: string): Known | null {
  const piece = pieces[index];
  if (piece === undefined) return null;
  if (!isGap(piece)) return piece.text === text ? piece : null;
  const known = { text, origin: piece.from };
  originals.set(piece.from, text);
  const rest = piece.count === 1 ? [] : [{ from: piece.from + 1, count: piece.count - 1 }];
  pieces.splice(index, 1, known, ...rest);
  return known;
}

function rowsOf({ pieces, originals }: State): readonly Row[] {
  const rows: Row[] = [];
  let next = 1;
  let added: string[] = [];
  for (const piece of pieces) {
    const origin = isGap(piece) ? piece.from : piece.origin;
    if (origin === null) {
      added.push((piece as Known).text);
      continue;
    }
    const removed = Array.from({ length: origin - next }, (_, step) => originals.get(next + step) ?? '');
    rows.push(...changeRows(removed, added));
    added = [];
    rows.push(isGap(piece) ? { sign: 'gap', count: piece.count } : { sign: ' ', text: piece.text });
    next = origin + (isGap(piece) ? piece.count : 1);
  }
  return rows;
}

/** The rows of one change; equal lines at its beginning and end did not change. */
function changeRows(removed: readonly string[], added: readonly string[]): readonly Row[] {
  const shared = Math.min(removed.length, added.length);
  let head = 0;
  while (head < shared && removed[head] === added[head]) head += 1;
  let tail = 0;
  while (tail < shared - head && removed.at(-1 - tail) === added.at(-1 - tail)) tail += 1;
  const rows = (sign: ' ' | '-' | '+', texts: readonly string[]): readonly Row[] =>
    texts.map((text) => ({ sign, text }));
  return [
    ...rows(' ', removed.slice(0, head)),
    ...rows('-', removed.slice(head, removed.length - tail)),
    ...rows('+', added.slice(head, added.length - tail)),
    ...rows(' ', removed.slice(removed.length - tail)),
  ];
}

function textOf(rows: readonly Row[]): string {
  const shown = shownIn(rows);
  const hunks: string[] = [];
  let [before, after] = [1, 1];
  let open: { before: number; after: number; lines: string[] } | null = null;
  const close = (): void => {
    if (open !== null) hunks.push(hunkText(open));
    open = null;
  };
  rows.forEach((row, index) => {
    if (row.sign === 'gap') {
      close();
      before += row.count;
      after += row.count;
      return;
    }
    if (shown.has(index)) {
      open ??= { before, after, lines: [] };
      open.lines.push(`${row.sign}${row.text}`);
    } else close();
    if (row.sign !== '+') before += 1;
    if (row.sign !== '-') after += 1;
  });
  close();
  return hunks.join('');
}

/** The indexes of changed rows and of the context around them. */
function shownIn(rows: readonly Row[]): ReadonlySet<number> {
  const shown = new Set<number>();
  rows.forEach(({ sign }, index) => {
    if (sign !== '-' && sign !== '+') return;
    for (let near = index - CONTEXT_LINES; near <= index + CONTEXT_LINES; near += 1) shown.add(near);
  });
  return shown;
}

function hunkText({ before, after, lines }: { before: number; after: number; lines: readonly string[] }): string {
  const count = (without: string): number => lines.filter((line) => !line.startsWith(without)).length;
  const range = (at: number, length: number): string => `${length === 0 ? at - 1 : at},${length}`;
  return `@@ -${range(before, count('+'))} +${range(after, count('-'))} @@\n${lines.join('\n')}\n`;
}
