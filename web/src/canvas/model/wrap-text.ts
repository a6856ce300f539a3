/** Breaks text into at most `maxLines` lines; an ellipsis replaces the rest. Cuts a word that is wider than a line. */
export function wrapText(
  text: string,
  box: { readonly maxWidth: number; readonly maxLines: number },
  measure: (text: string) => number,
): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const lines: string[] = [];
  let line = '';
  for (const [index, word] of words.entries()) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (measure(joined) <= box.maxWidth) {
      line = joined;
      continue;
    }
    if (lines.length === box.maxLines - 1 || line === '') {
      const rest = line === '' ? [word, ...words.slice(index + 1)] : [line, ...words.slice(index)];
      if (lines.length === box.maxLines - 1) return [...lines, ellipsis(rest.join(' '), box.maxWidth, measure)];
      lines.push(ellipsis(word, box.maxWidth, measure));
      continue;
    }
    lines.push(line);
    line = word;
  }
  if (line !== '') lines.push(measure(line) <= box.maxWidth ? line : ellipsis(line, box.maxWidth, measure));
  return lines;
}

/** The longest prefix of `text` that fits with an ellipsis after it; all of `text` if it fits. */
export function ellipsis(text: string, maxWidth: number, measure: (text: string) => number): string {
  if (measure(text) <= maxWidth) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(`${text.slice(0, middle).trimEnd()}…`) <= maxWidth) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low).trimEnd()}…`;
}
