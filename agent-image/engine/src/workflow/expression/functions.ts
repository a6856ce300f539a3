import { Fault } from './fault.ts';
import { kindOf } from './json-value.ts';
import type { Work } from './work.ts';

/** Maximum characters of a text that is searched for: a search takes at most this many times the length of the text. */
const MAX_NEEDLE_CHARS = 256;
/** Maximum characters of a text that a function makes. */
const MAX_TEXT_CHARS = 1 << 20;

type Apply = (args: readonly unknown[], work: Work) => unknown;
type Rule = Readonly<{ least: number; most: number; apply: Apply }>;

const takes = (least: number, apply: Apply, most = least): Rule => ({ least, most, apply });

/** `size(x)` and so on, by name. */
export const FUNCTIONS: ReadonlyMap<string, Rule> = new Map([
  ['size', takes(1, ([value], work) => sizeOf(value, work))],
  ['string', takes(1, ([value]) => toText(value))],
  ['double', takes(1, ([value]) => toNumber(value))],
  ['int', takes(1, ([value]) => toInteger(value))],
  ['bool', takes(1, ([value]) => toBoolean(value))],
]);

/** `x.size()` and so on, by name: the receiver is the first argument. */
export const METHODS: ReadonlyMap<string, Rule> = new Map([
  ['size', takes(0, ([value], work) => sizeOf(value, work))],
  [
    'contains',
    takes(
      1,
      search((text, needle) => text.includes(needle)),
    ),
  ],
  [
    'startsWith',
    takes(
      1,
      search((text, needle) => text.startsWith(needle)),
    ),
  ],
  [
    'endsWith',
    takes(
      1,
      search((text, needle) => text.endsWith(needle)),
    ),
  ],
  ['split', takes(1, search(split))],
  [
    'lowerAscii',
    takes(
      0,
      changed((text) => text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase())),
    ),
  ],
  [
    'upperAscii',
    takes(
      0,
      changed((text) => text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase())),
    ),
  ],
  [
    'trim',
    takes(
      0,
      changed((text) => text.trim()),
    ),
  ],
  ['join', takes(0, ([list, between = ''], work) => join(list, between, work), 1)],
  ['sum', takes(0, ([list], work) => numbersOf(list, work).reduce((sum, number) => sum + number, 0))],
  ['min', takes(0, ([list], work) => extreme(list, work, (one, other) => one < other))],
  ['max', takes(0, ([list], work) => extreme(list, work, (one, other) => one > other))],
]);

/** Throws a `Fault` for a text that is too long. */
export function madeText(text: string, work: Work): string {
  if (text.length > MAX_TEXT_CHARS) throw new Fault(`a text has more than ${MAX_TEXT_CHARS} characters`);
  work.spendText(text.length);
  return text;
}

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Fault(`a text is expected, but there is ${kindOf(value)}`);
}

export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Fault(`a list is expected, but there is ${kindOf(value)}`);
}

function search(apply: (text: string, needle: string, work: Work) => unknown): Apply {
  return ([value, searched], work) => {
    const text = textOf(value);
    const needle = textOf(searched);
    if (needle.length > MAX_NEEDLE_CHARS) {
      throw new Fault(`a text to search for has at most ${MAX_NEEDLE_CHARS} characters: this one has ${needle.length}`);
    }
    work.spendText(text.length);
    return apply(text, needle, work);
  };
}

function changed(apply: (text: string) => string): Apply {
  return ([value], work) => {
    const text = textOf(value);
    work.spendText(text.length);
    return apply(text);
  };
}

function split(text: string, separator: string, work: Work): readonly string[] {
  const parts = text.split(separator);
  work.spend(parts.length);
  return parts;
}

function join(value: unknown, between: unknown, work: Work): string {
  const list = listOf(value);
  work.spend(list.length);
  const texts = list.map(textOf);
  const separator = textOf(between);
  const chars = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
  if (chars > MAX_TEXT_CHARS + separator.length) throw new Fault(`a text has more than ${MAX_TEXT_CHARS} characters`);
  return madeText(texts.join(separator), work);
}

function sizeOf(value: unknown, work: Work): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'string') {
    work.spendText(value.length);
    let characters = 0;
    for (const _ of value) characters += 1;
    return characters;
  }
  if (typeof value !== 'object' || value === null) throw new Fault(`${kindOf(value)} has no size`);
  const { length } = Object.keys(value);
  work.spend(length);
  return length;
}

function numbersOf(value: unknown, work: Work): readonly number[] {
  const list = listOf(value);
  work.spend(list.length);
  return list.map((element) => {
    if (typeof element === 'number') return element;
    throw new Fault(`a list of numbers is expected, but it has ${kindOf(element)}`);
  });
}

function extreme(value: unknown, work: Work, isMore: (one: number, other: number) => boolean): number {
  const [first, ...rest] = numbersOf(value, work);
  if (first === undefined) throw new Fault('the list is empty: check its size first');
  return rest.reduce((found, number) => (isMore(number, found) ? number : found), first);
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Fault(`${kindOf(value)} cannot become a text`);
}

function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  const number = typeof value === 'string' && /^-?\d/.test(value) ? Number(value) : Number.NaN;
  if (Number.isFinite(number)) return number;
  throw new Fault(`${typeof value === 'string' ? 'this text' : kindOf(value)} cannot become a number`);
}

function toInteger(value: unknown): number {
  const integer = Math.trunc(toNumber(value));
  if (Number.isSafeInteger(integer)) return integer;
  throw new Fault('the number is too large for an exact integer');
}

function toBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new Fault(`${typeof value === 'string' ? 'this text' : kindOf(value)} cannot become true or false`);
}
