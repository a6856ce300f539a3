import type { z } from 'zod';
import type { ConfigCode, ConfigPath, ConfigProblem } from '../plan/config-error.ts';
import { editorSchema, keysAt, type JsonObject } from './editor-schema.ts';
import { nearestName } from './nearest-name.ts';

type Issue = z.core.$ZodIssue;
type Read = Readonly<{ file: string; schema: z.ZodType; value: unknown }>;
type Reading = Read & Readonly<{ json: () => JsonObject }>;

const MISSING = /^Invalid input: expected (.+), received undefined$/;
/** Maximum number of names that a hint lists. */
const MAX_NAMES = 30;

/** At most this many problems of a value that its schema refuses, with the nearest known name for an unknown one. Pure. */
export function schemaProblems(read: Read, issues: readonly Issue[], most: number): readonly ConfigProblem[] {
  let json: JsonObject | null = null;
  const reading = { ...read, json: () => (json ??= editorSchema(read.schema)) };
  return withoutEchoes(issues)
    .slice(0, most)
    .flatMap((issue) => problemsOf(reading, issue, []))
    .slice(0, most);
}

/** A rule about the whole of a value says nothing new if the value has an unknown key. */
function withoutEchoes(issues: readonly Issue[]): readonly Issue[] {
  const unknown = new Set(issues.filter(({ code }) => code === 'unrecognized_keys').map(({ path }) => path.join('/')));
  return issues.filter(({ code, path }) => code !== 'custom' || !unknown.has(path.join('/')));
}

function problemsOf(read: Reading, issue: Issue, before: ConfigPath): readonly ConfigProblem[] {
  const path = [...before, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
  const problem = (code: ConfigCode, message: string, hint: string | null): ConfigProblem => ({
    code,
    file: read.file,
    path,
    at: 'value',
    message,
    hint,
  });
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(read, path, key));
    case 'invalid_union':
      return unionProblems(read, issue, path) ?? [problem('config_schema', 'it fits none of the forms', null)];
    case 'invalid_value':
      return [problem('config_schema', ...oneOf(issue.values, valueAt(read.value, path)))];
    default: {
      const missing = MISSING.exec(issue.message);
      if (missing !== null)
        return [problem('config_schema', `'${path.at(-1)}' is missing`, `Add '${path.at(-1)}' (${missing[1]}).`)];
      return [problem('config_schema', issue.message.replace(/^Invalid input: /, ''), typeHint(issue))];
    }
  }
}

/** The issues of the form that fits best: the one whose first issue lies deepest. */
function unionProblems(read: Reading, issue: Issue, path: ConfigPath): readonly ConfigProblem[] | null {
  if (issue.code !== 'invalid_union') return null;
  if (issue.discriminator !== undefined) {
    const [message, hint] = oneOf('options' in issue ? (issue.options ?? []) : [], valueAt(read.value, path));
    return [{ code: 'config_schema', file: read.file, path, at: 'value', message, hint }];
  }
  const depth = (issues: readonly Issue[]): number => issues[0]?.path.length ?? 0;
  const best = issue.errors.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)[0];
  return best?.flatMap((each) => problemsOf(read, each, path)) ?? null;
}

function oneOf(values: readonly unknown[], written: unknown): readonly [string, string] {
  const names = values.map(String);
  const choice = names.length === 1 ? `Write ${names[0]}.` : `Write one of ${listed(names)}.`;
  if (written === undefined) return ['it is missing', choice];
  const nearest = nearestName(String(written), names);
  const message = `${JSON.stringify(written)?.slice(0, 80)} is not one of the known values`;
  return [message, nearest === null ? choice : `Did you mean '${nearest}'?`];
}

const listed = (names: readonly string[]): string =>
  names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES).join(', ')}, …` : names.join(', ');

function unknownKey(read: Reading, path: ConfigPath, key: string): ConfigProblem {
  const known = keysAt(read.json(), read.value, path);
  const nearest = nearestName(key, known);
  const hint = nearest === null ? `The keys here are ${listed(known)}.` : `Did you mean '${nearest}'?`;
  const message = `there is no key '${key}' here`;
  return { code: 'config_unknown_key', file: read.file, path: [...path, key], at: 'key', message, hint };
}

function typeHint(issue: Issue): string | null {
  if (issue.code !== 'invalid_type' || issue.expected !== 'string') return null;
  return 'Put it in quotes if it is a text.';
}

const valueAt = (value: unknown, path: ConfigPath): unknown =>
  path.reduce<unknown>((at, part) => (at as JsonObject | undefined)?.[part], value);
