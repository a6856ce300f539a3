/** An entry of OpenRouter's `reasoning_details`. */
export type Detail = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The fields whose pieces are joined. */
const WORDS: ReadonlySet<string> = new Set(['text', 'summary']);

function joined(old: Detail, piece: Detail): Detail {
  const fields = Object.entries(piece).map(([field, value]): readonly [string, unknown] => {
    const before = old[field];
    const isPiece = WORDS.has(field) && typeof before === 'string' && typeof value === 'string';
    return [field, isPiece ? before + value : (value ?? before)];
  });
  return { ...old, ...Object.fromEntries(fields) };
}

/** Adds the entries of a chunk to those of the stream; pieces of one entry have its type and index. */
export function addDetails(details: Detail[], added: readonly Detail[]): void {
  for (const piece of added) {
    const last = details.at(-1);
    const isPiece =
      last !== undefined && last.type === piece.type && last['index'] === piece['index'] && !('data' in piece);
    if (isPiece) details[details.length - 1] = joined(last, piece);
    else details.push(piece);
  }
}
