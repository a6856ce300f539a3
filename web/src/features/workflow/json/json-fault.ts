/** A place in a text, counted from 1. */
type Place = Readonly<{ line: number; column: number }>;

const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  /("(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([[\]{},:])/uy;

/** The tokens that may come next, each with the state after it; `done`: a value is complete. */
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
    const token = tokenAt(text, at);
    const next = NEXT[awaited][token.kind];
    if (next === undefined) return placeOf(text, token.start);
    keepOpen(open, token.kind);
    awaited = next === 'done' ? moreOf(open.at(-1)) : next;
    at = token.end;
  }
  const end = afterSpace(text, at);
  return end === text.length ? null : placeOf(text, end);
}

/** Why a text is not JSON, with the place; null if it is JSON. Pure. */
export function jsonProblem(text: string): string | null {
  const fault = jsonFault(text);
  if (fault === null) return null;
  return `Line ${fault.line}, column ${fault.column}: this is not JSON. A text stands in double quotes`;
}

type Token = Readonly<{ kind: string; start: number; end: number }>;

/** The next token: a sign by itself, `text`, `scalar`, or `none`. */
function tokenAt(text: string, at: number): Token {
  const start = afterSpace(text, at);
  const [token, isText, sign = 'scalar'] = matchAt(TOKEN, text, start) ?? [];
  if (token === undefined) return { kind: 'none', start, end: start };
  return { kind: isText === undefined ? sign : 'text', start, end: start + token.length };
}

function keepOpen(open: ('[' | '{')[], kind: string): void {
  if (kind === '[' || kind === '{') open.push(kind);
  if (kind === ']' || kind === '}') open.pop();
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
