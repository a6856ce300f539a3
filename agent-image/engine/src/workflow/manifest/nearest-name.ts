const MAX_EDITS = 3;
/** Longer names are not compared. */
const MAX_CHARS = 64;

/**
 * The known name that a misspelled one may mean: at most a third of its characters differ, and at most three; else the one that it begins,
 * such as `timeout_s` for `timeout`. Null if none does. Pure.
 */
export function nearestName(written: string, known: readonly string[]): string | null {
  let nearest: string | null = null;
  let most = Math.min(MAX_EDITS, Math.ceil(written.length / 3));
  for (const name of known) {
    const edits = editsBetween(written, name, most);
    if (edits > most) continue;
    nearest = name;
    most = edits - 1;
  }
  return nearest ?? known.find((name) => name.startsWith(`${written}_`)) ?? null;
}

/** The letters to insert, remove, replace or swap; more than `most` if that does not suffice. */
function editsBetween(from: string, to: string, most: number): number {
  const tooMany = most + 1;
  if (Math.abs(from.length - to.length) > most || from.length > MAX_CHARS) return tooMany;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let at = 1; at <= from.length; at += 1) {
    const next = nextRow({ from, to, at }, row, before);
    if (Math.min(...next) > most && Math.min(...row) > most) return tooMany;
    [before, row] = [row, next];
  }
  return row[to.length] ?? tooMany;
}

type Words = Readonly<{ from: string; to: string; at: number }>;

function nextRow({ from, to, at }: Words, row: readonly number[], before: readonly number[]): readonly number[] {
  const next = [at];
  const valueAt = (list: readonly number[], index: number): number => list[index] ?? Infinity;
  for (let to1 = 1; to1 <= to.length; to1 += 1) {
    const isSame = from[at - 1] === to[to1 - 1];
    const isSwap = from[at - 1] === to[to1 - 2] && from[at - 2] === to[to1 - 1];
    next.push(
      Math.min(
        valueAt(row, to1) + 1,
        valueAt(next, to1 - 1) + 1,
        valueAt(row, to1 - 1) + (isSame ? 0 : 1),
        isSwap ? valueAt(before, to1 - 2) + 1 : Infinity,
      ),
    );
  }
  return next;
}
