/** A place in a text, counted from 1. */
type Place = Readonly<{ line: number; column: number }>;

const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  /("(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([[\]{},:])/uy;

/** The tokens that may follow, and what then follows them; `done`: a value is complete. */
type Next = Readonly<Partial<Record<string, Awaited | 'done'>>>;
type Awaited = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'more of [' | 'more of {' | 'nothing';

const VALUE: Next = { text: 'done', scalar: 'done', '[': 'first value', '{': 'first key' };
const NEXT: Readonly<Record<Awaited, Next>> = {
  value: VALUE,
  'first value': { ...VALUE, ']': 'done' },
  key: { text: 'colon' },
  'first key': { text: 'colon', '}': 'done' },
  colon: { ':': 'value' },
  'more of [': { ',': 'value', ']': 'done' },
  'more of {': { ',': 'key', '}': 'done' },
  nothing: {},
};

/** The place at which a text stops being JSON; null if it is JSON. Each browser words its own error, often without a place. Pure. */
export function jsonFault(text: string): Place | null {
  const open: ('[' | '{')[] = [];
  let [awaited, at] = ['value' as Awaited, 0];
  while (awaited !== 'nothing') {
    at = afterSpace(text, at);
    const [token = '', isText, sign = 'scalar'] = matchAt(TOKEN, text, at) ?? [];
    const kind = isText === undefined ? sign : 'text';
    const next = token === '' ? undefined : NEXT[awaited][kind];
    if (next === undefined) return placeOf(text, at);
    if (kind === '[' || kind === '{') open.push(kind);
    if (kind === ']' || kind === '}') open.pop();
    awaited = next === 'done' ? moreOf(open.at(-1)) : next;
    at += token.length;
  }
  at = afterSpace(text, at);
  return at === text.length ? null : placeOf(text, at);
}

const moreOf = (open: '[' | '{' | undefined): Awaited => (open === undefined ? 'nothing' : `more of ${open}`);

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const afterSpace = (text: string, at: number): number => at + (matchAt(SPACE, text, at)?.[0].length ?? 0);

function placeOf(text: string, at: number): Place {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
