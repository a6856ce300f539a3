import { isDrive, unescaped } from './escapes.ts';
import { Fault } from './fault.ts';
import type { RepairAction } from '../repair.ts';

export type Role = 'key' | 'member' | 'element';

export type TextRules = Readonly<{
  text: string;
  /** A quote ends a text only if what follows can stand there. */
  areQuotesInner: boolean;
  hasRawPaths: boolean;
  act: (action: RepairAction) => void;
  /** The brackets that close everything open, innermost first. */
  closers: () => string;
}>;

/** The characters that end a text, by the one that begins it. */
const ENDS: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”“"',
  '”': '”“"',
  '„': '”“"',
  '‟': '”“"',
  '‘': '’‘',
  '’': '’‘',
  '«': '»',
};
const ANY_END: Readonly<Record<string, RegExp>> = { '”“"': /[”“"]/g, '’‘': /[’‘]/g };
const TRIPLE = '"""';

export const isQuote = (char: string | undefined): char is string => char !== undefined && Object.hasOwn(ENDS, char);

const KEY_AHEAD = /\s*["'“”‘’„‟`](?:[^"'“”‘’\\\n]{1,100})["'“”‘’`]\s*:/y;
/** A name that lacks one of its quotes. */
const LOOSE_KEY_AHEAD = /\s*(?:["'“][\w$-]{1,60}|[\w$-]{1,60}["'”])\s*:/y;
const COMMA_AHEAD = /\s*,/y;
const KEY_WITHOUT_END = /([\w$-]{1,60})\s*:/y;
const COMMENT = /\/[/*]/y;
const SPACE = /\s*/y;
const AFTER_CLOSER = /\s*(?:$|[,}\]`<])|[^\S\n]*\n/y;
const ELEMENT_AHEAD = /\s*(?:["'“‘{[\]}\d-]|true|false|null|True|False|None)/y;
const CLOSER_AHEAD = /\s*[}\]]/y;
const LINE_MAX_CHARS = 200;
const CONTROL = /\p{Cc}/u;

/** True if the pattern, which must be sticky, matches at the place. */
export function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** True if a quoted name and a colon stand at the place. */
export const isKeyAt = (text: string, at: number): boolean => matchesAt(KEY_AHEAD, text, at);

export type Quoted = Readonly<{ value: string; end: number }>;

/** Reads the text whose opening quote stands at `at`. `end`: after its closing quote. Throws a fault. */
export function readQuoted(rules: TextRules, at: number, role: Role): Quoted {
  const { text, act } = rules;
  const quote = text[at] ?? '';
  if (role !== 'key' && text.startsWith(TRIPLE, at)) return readTriple(rules, at);
  if (quote !== '"') act('quotes_replaced');
  const from = at + 1;
  const found = rules.areQuotesInner ? innerEnd(rules, from, { quote, role }) : plainEnd(rules, from, quote);
  const raw = text.slice(from, found.to);
  if (CONTROL.test(raw)) act('control_characters_kept');
  return { value: unescaped({ raw, quote, hasRawPaths: rules.hasRawPaths, act }), end: found.end };
}

/** `to`: the end of the content. `end`: where reading continues. */
type End = Readonly<{ to: number; end: number }>;

function plainEnd({ text }: TextRules, from: number, quote: string): End {
  const to = nextQuote(text, from, { quote, from });
  if (to < 0) throw new Fault('the text in quotes does not end', text, from - 1);
  return { to, end: to + 1 };
}

type Searched = Readonly<{ quote: string; from: number }>;

/** The next quote without a backslash before it, from `at`; -1 if there is none. */
function nextQuote(text: string, at: number, { quote, from }: Searched): number {
  for (let found = indexOfEnd(text, quote, at); found >= 0; found = indexOfEnd(text, quote, found + 1))
    if (!isEscaped(text, found, from)) return found;
  return -1;
}

function indexOfEnd(text: string, quote: string, at: number): number {
  const ends = ENDS[quote] ?? quote;
  const pattern = ANY_END[ends];
  if (pattern === undefined) return text.indexOf(ends, at);
  pattern.lastIndex = at;
  return pattern.exec(text)?.index ?? -1;
}

function isEscaped(text: string, at: number, from: number): boolean {
  let slashes = 0;
  while (at - 1 - slashes >= from && text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

const QUOTES_INSIDE = 'a text may have quotes inside; write \\" for each';

type Inner = Readonly<{ quote: string; role: Role }>;

/** The end of a text that may have quotes inside. */
function innerEnd(rules: TextRules, from: number, { quote, role }: Inner): End {
  const { text } = rules;
  let inside = 0;
  for (let at = indexOfEnd(text, quote, from); at >= 0; at = indexOfEnd(text, quote, at + 1)) {
    const escaped = isEscaped(text, at, from);
    // A path may end with its last backslash.
    if (escaped && !isDrive(text.slice(from, from + 4))) continue;
    if (isEndAt(text, at + 1, role)) return ended(rules, { from, at, role, inside });
    if (escaped) continue;
    const lost = inside === 0 ? lostEnd(rules, { from, at, role }) : null;
    if (lost !== null) return lost;
    // A name has no quotes inside; a quote before a comma may be the end.
    if (role === 'key' || matchesAt(COMMA_AHEAD, text, at + 1)) throw new Fault(QUOTES_INSIDE, text, from - 1);
    inside += 1;
  }
  return endAtClosers(rules, from, role);
}

type Ended = Readonly<{ from: number; at: number; role: Role; inside: number }>;

/** The end at a closing quote. Throws a fault if the quotes inside may be those of several texts. */
function ended({ text, act }: TextRules, { from, at, role, inside }: Ended): End {
  if (inside === 0) return { to: at, end: at + 1 };
  if (text.slice(from, at).includes('\n') || (role === 'element' && inside % 2 === 1))
    throw new Fault(QUOTES_INSIDE, text, from - 1);
  act('inner_quotes_kept');
  return { to: at, end: at + 1 };
}

/** True if what stands after a quote shows that it ends the text. */
export function isEndAt(text: string, after: number, role: Role): boolean {
  SPACE.lastIndex = after;
  SPACE.test(text);
  const at = SPACE.lastIndex;
  const char = text[at];
  if (role === 'key') return char === ':';
  switch (char) {
    case undefined:
      return true;
    case '}':
    case ']':
      return matchesAt(AFTER_CLOSER, text, at + 1);
    case ',':
      return isNextAt(text, at + 1, role);
    default:
      return matchesAt(COMMENT, text, at) || (role === 'member' && at > after && isKeyAt(text, at));
  }
}

const isNextAt = (text: string, at: number, role: Role): boolean =>
  role === 'member'
    ? isKeyAt(text, at) || matchesAt(LOOSE_KEY_AHEAD, text, at) || matchesAt(CLOSER_AHEAD, text, at)
    : matchesAt(ELEMENT_AHEAD, text, at);

/** The end of a text whose closing quote is missing: before the comma or the line break before the next name. */
function lostEnd({ text, act }: TextRules, { from, at, role }: Readonly<{ from: number; at: number; role: Role }>) {
  if (role === 'key') {
    KEY_WITHOUT_END.lastIndex = from;
    const name = KEY_WITHOUT_END.exec(text)?.[1];
    if (name === undefined) return null;
    act('quotes_added');
    return { to: from + name.length, end: from + name.length };
  }
  if (role !== 'member' || !isKeyAt(text, at)) return null;
  const before = text.slice(from, at).trimEnd();
  const content = before.replace(/,$/, '').trimEnd();
  const isLineEnd = text.slice(from + content.length, at).includes('\n');
  if (content.length === before.length && !isLineEnd) return null;
  const whole = withoutLastBrackets(content);
  if (/[}\]]$/.test(whole)) throw new Fault('a text in quotes may not end', text, from - 1);
  act('quotes_added');
  return { to: from + whole.length, end: from + whole.length };
}

/** The text without closing brackets that stand alone on the last lines. */
function withoutLastBrackets(text: string): string {
  const line = /\n[^\S\n]*[}\]],?$/;
  let left = text;
  for (
    let found = line.exec(left.slice(-LINE_MAX_CHARS));
    found !== null;
    found = line.exec(left.slice(-LINE_MAX_CHARS))
  )
    left = left.slice(0, -found[0].length).trimEnd();
  return left;
}

/** The end of the last text of a document whose closing quote is missing. */
function endAtClosers({ text, act, closers }: TextRules, from: number, role: Role): End {
  const rest = text.slice(from).trimEnd();
  const wanted = closers();
  let to = rest.length;
  for (const closer of wanted) {
    if (rest[to - 1] !== closer) throw new Fault('the text in quotes does not end', text, from - 1);
    to = rest.slice(0, to - 1).trimEnd().length;
  }
  if (role === 'key' || wanted === '') throw new Fault('the text in quotes does not end', text, from - 1);
  act('quotes_added');
  return { to: from + to, end: from + to };
}

/** A text of Python in three quotes. */
function readTriple({ text, act, hasRawPaths }: TextRules, at: number): Quoted {
  const from = at + TRIPLE.length;
  const to = text.indexOf(TRIPLE, from);
  if (to < 0) throw new Fault('the text in three quotes does not end', text, at);
  act('quotes_replaced');
  const raw = text.slice(from, to);
  return { value: unescaped({ raw, quote: TRIPLE, hasRawPaths, act }), end: to + TRIPLE.length };
}

/** The types of the values that may begin with a character. */
export function kindsOf(char: string | undefined): readonly string[] {
  if (char === '{') return ['object'];
  if (char === '[') return ['array'];
  return isQuote(char) ? ['string'] : ['number', 'integer', 'boolean', 'null', 'string'];
}
