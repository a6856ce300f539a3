/**
 * True if a pattern of a manifest fits a path from the root. `*` stands for any characters of one name, `?` for one, and `**` as a
 * whole part for any folders, none included: `src/**` fits `src` and everything below it. A leading dot is a character like any
 * other, so `**` fits everything. Time is bounded by the product of both lengths. Pure.
 */
export function fitsGlob(pattern: string, path: string): boolean {
  const wanted = partsOf(pattern);
  const parts = partsOf(path);
  // `reached[n]`: the pattern so far fits the first n parts of the path.
  let reached = [true, ...parts.map(() => false)];
  for (const part of wanted) reached = part === '**' ? below(reached) : onward(reached, part, parts);
  return reached.at(-1) === true;
}

const partsOf = (text: string): readonly string[] => text.split('/').filter((part) => part !== '' && part !== '.');

function below(reached: readonly boolean[]): boolean[] {
  const first = reached.indexOf(true);
  return reached.map((_, at) => first >= 0 && at >= first);
}

const onward = (reached: readonly boolean[], part: string, parts: readonly string[]): boolean[] =>
  reached.map((_, at) => at > 0 && reached[at - 1] === true && fitsName(part, parts[at - 1] ?? ''));

/** Backtracks only to the last `*`, which takes one more character after each mismatch. */
function fitsName(pattern: string, name: string): boolean {
  let [at, from, star, resume] = [0, 0, -1, 0];
  while (from < name.length) {
    const sign = pattern[at];
    if (sign === '*') [star, resume, at] = [at, from, at + 1];
    else if (sign !== undefined && (sign === '?' || sign === name[from])) [at, from] = [at + 1, from + 1];
    else if (star >= 0) [at, resume, from] = [star + 1, resume + 1, resume + 1];
    else return false;
  }
  return pattern.slice(at).replaceAll('*', '') === '';
}
