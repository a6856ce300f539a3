import { isJsonObject } from '../../json/canonical-json.ts';
import { Fault } from './fault.ts';
import type { Work } from './work.ts';

/** Maximum nesting of lists and objects. */
export const MAX_DEPTH = 64;

const FORBIDDEN_KEY = '__proto__';
const SCALARS: ReadonlySet<string> = new Set(['string', 'boolean']);

/** The kind of a JSON value in the words of people. Throws a `Fault` for any other value. */
export function kindOf(value: unknown): 'text' | 'number' | 'true or false' | 'null' | 'list' | 'object' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'true or false';
  throw new Fault(`a value is not JSON (${typeof value})`);
}

type Within = Readonly<{ work: Work; depth: number }>;

/** True if both are the same JSON value. Values of different kinds are different. */
export const isEqual = (one: unknown, other: unknown, work: Work): boolean => isSame(one, other, { work, depth: 0 });

function isSame(one: unknown, other: unknown, within: Within): boolean {
  if (typeof one === 'string' && typeof other === 'string') return isEqualText(one, other, within.work);
  within.work.spend(1);
  if (one === other) return true;
  if (Array.isArray(one)) return Array.isArray(other) && isSameList(one, other, deeper(within));
  return isJsonObject(one) && isJsonObject(other) && isSameObject(one, other, deeper(within));
}

function deeper({ work, depth }: Within): Within {
  if (depth === MAX_DEPTH) throw tooDeep();
  return { work, depth: depth + 1 };
}

/** Texts of the same length are compared character by character. */
function isEqualText(one: string, other: string, work: Work): boolean {
  if (one.length !== other.length) return false;
  work.spendText(one.length);
  return one === other;
}

type JsonObject = Readonly<Record<string, unknown>>;

const isSameList = (one: readonly unknown[], other: readonly unknown[], within: Within): boolean =>
  one.length === other.length && one.every((value, index) => isSame(value, other[index], within));

function isSameObject(one: JsonObject, other: JsonObject, within: Within): boolean {
  const keys = Object.keys(one);
  within.work.spend(keys.length);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key], within));
}

const tooDeep = (): Fault => new Fault(`a value nests lists and objects more than ${MAX_DEPTH} levels deep`);

/** Throws a `Fault` unless the value is JSON within the limits of a result. Values that it has twice count twice. */
export const assertResult = (value: unknown, work: Work): void => measure(value, { work, depth: 0 });

function measure(value: unknown, within: Within): void {
  const { work } = within;
  work.spendResult(ownChars(value));
  if (typeof value !== 'object' || value === null) return;
  const inside = deeper(within);
  if (Array.isArray(value)) {
    for (const element of value) measure(element, inside);
    return;
  }
  if (!isPlain(value)) throw new Fault('a value is not JSON: it is an object with a class');
  for (const [key, field] of Object.entries(value)) {
    if (key === FORBIDDEN_KEY) throw new Fault(`a result may not have the field ${FORBIDDEN_KEY}`);
    work.spendResult(key.length + 3);
    measure(field, inside);
  }
}

/** The characters of a scalar, or of the brackets and commas of a list or an object. */
function ownChars(value: unknown): number {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Fault('a number of the result is not finite');
    return 1;
  }
  if (SCALARS.has(typeof value) || value === null) return typeof value === 'string' ? value.length + 2 : 4;
  if (Array.isArray(value)) return value.length + 1;
  kindOf(value);
  return 2;
}

function isPlain(value: object): value is JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
