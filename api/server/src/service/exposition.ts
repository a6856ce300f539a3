export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A longer line is skipped, and so are samples beyond the limit: an exporter cannot fill the memory of the API. */
const LINE_MAX_CHARS = 4_096;
const SAMPLES_MAX = 4_096;
const LABELS_MAX = 64;

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /\s*([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"\s*,?/y;
const ESCAPES: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

const unescaped = (text: string): string =>
  text.includes('\\') ? text.replace(/\\./g, (pair) => ESCAPES[pair] ?? pair) : text;

/** The labels from `at`, the place after `{`, with the place after `}`; null if the text is not a list of labels. */
function labelsAt(line: string, at: number): { readonly labels: Record<string, string>; readonly end: number } | null {
  const labels: [string, string][] = [];
  LABEL.lastIndex = at;
  for (let end = at; labels.length <= LABELS_MAX; end = LABEL.lastIndex) {
    LABEL.lastIndex = end;
    const [, name, value] = LABEL.exec(line) ?? [];
    if (name === undefined || value === undefined)
      return line[end] === '}' ? { labels: Object.fromEntries(labels), end: end + 1 } : null;
    labels.push([name, unescaped(value)]);
  }
  return null;
}

function sampleOf(line: string, wanted: ReadonlySet<string>): Sample | null {
  const name = NAME.exec(line)?.[0];
  if (name === undefined || !wanted.has(name)) return null;
  const found = line[name.length] === '{' ? labelsAt(line, name.length + 1) : { labels: {}, end: name.length };
  if (found === null) return null;
  const [text = ''] = line.slice(found.end).trim().split(/\s+/, 1);
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? { name, labels: found.labels, value } : null;
}

/**
 * The samples of the metrics in `wanted` from a text in the exposition format of Prometheus. Lines that are not valid, and values
 * that are not finite, are left out.
 */
export function readExposition(text: string, wanted: ReadonlySet<string>): readonly Sample[] {
  const samples: Sample[] = [];
  for (let start = 0; start < text.length && samples.length < SAMPLES_MAX;) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const sample = end - start > LINE_MAX_CHARS ? null : sampleOf(text.slice(start, end), wanted);
    if (sample !== null) samples.push(sample);
    start = end + 1;
  }
  return samples;
}
