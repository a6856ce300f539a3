/** Ways to damage values: the result is valid JSON that does not fit its schema. */
import type { Seeded } from '@hamlet/test/env/seeded';
import type { Source } from './documents.ts';

const rawJson = (text: string): unknown => (JSON as unknown as { rawJSON(given: string): unknown }).rawJSON(text);

type Json = Readonly<Record<string, unknown>>;
/** The damaged value, and whether it no longer says what was meant; null if there is nothing to damage. */
export type ValueDamage = (
  source: Source,
  rng: Seeded,
) => { readonly value: unknown; readonly isLost?: boolean } | null;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRaw(value);
const isRaw = (value: unknown): boolean => (JSON as unknown as { isRawJSON(given: unknown): boolean }).isRawJSON(value);

/** Changes all members that pass the test. */
function members(value: unknown, change: (name: string, member: unknown) => readonly [string, unknown]): unknown {
  if (Array.isArray(value)) return value.map((each) => members(each, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => change(name, members(member, change))));
}

function ifChanged(source: Source, value: unknown): { value: unknown } | null {
  return JSON.stringify(value) === JSON.stringify(source.value) ? null : { value };
}

const each =
  (change: (member: unknown) => unknown): ValueDamage =>
  (source) =>
    ifChanged(
      source,
      members(source.value, (name, member) => [name, change(member)]),
    );

/** Changes a member of the whole, if that is an object with one that passes the test. */
const one =
  (test: (member: unknown) => boolean, change: (member: unknown) => unknown): ValueDamage =>
  ({ value }, rng) => {
    if (!isObject(value)) return null;
    const name = rng.one(Object.keys(value).filter((key) => test(value[key])));
    return name === undefined ? null : { value: { ...value, [name]: change(value[name]) } };
  };

const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const isList = Array.isArray;

export const VALUE_DAMAGES: Readonly<Record<string, ValueDamage>> = {
  'numbers as texts': each((member) => (typeof member === 'number' || isRaw(member) ? JSON.stringify(member) : member)),
  'booleans as texts': each((member) => (typeof member === 'boolean' ? (member ? 'True' : 'false') : member)),
  'an object as text': one(isObject, (member) => JSON.stringify(member)),
  'a list as text': one(isList, (member) => JSON.stringify(member)),
  'texts as numbers': each((member) =>
    typeof member === 'string' && /^\d+\.\d+$/.test(member) ? rawJson(member) : member,
  ),
  'one instead of a list': one(
    (member) => isList(member) && member.length === 1 && isObject(member[0]),
    (member) => (member as unknown[])[0],
  ),
  'names in another case': (source) =>
    ifChanged(
      source,
      members(source.value, (name, member) => [camel(name), member]),
    ),
  'a choice in another case': ({ value }) =>
    isObject(value) && value['option'] === 'stay' ? { value: { ...value, option: 'Stay' } } : null,
  'a missing field': ({ value }, rng) => {
    if (!isObject(value)) return null;
    const name = rng.one(Object.keys(value));
    return { value: Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)), isLost: true };
  },
  'an invented field': ({ value }) => (isObject(value) ? { value: { ...value, confidence: 0.9 }, isLost: true } : null),
  'another kind of value': ({ value }, rng) => {
    if (!isObject(value)) return null;
    const name = rng.one(
      Object.keys(value).filter((key) => typeof value[key] === 'number' || typeof value[key] === 'boolean'),
    );
    return name === undefined ? null : { value: { ...value, [name]: 'about a dozen' }, isLost: true };
  },
};
