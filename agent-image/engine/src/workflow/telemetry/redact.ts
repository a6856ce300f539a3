import type { TelemetryEvent } from './event.ts';
import type { Json } from './payload.ts';

const REDACTED = '[redacted]';
/** Shorter values are also parts of ordinary words. */
const MIN_SECRET_CHARS = 8;
const MAX_SECRETS = 200;
const MAX_PATHS = 200;
const MAX_SEGMENTS = 32;

/** The fields whose values a path may name: the only ones that hold what people and models wrote. */
const FIELDS = ['input', 'output', 'choice', 'message', 'tags'] as const;
const isContent = (key: string): boolean => FIELDS.some((field) => field === key);
/** Fields with words of a closed list, which programs compare. A secret that equals one stays there. */
const CLOSED: ReadonlySet<string> = new Set([
  'type',
  'where',
  'role',
  'end',
  'outcome',
  'status',
  'kind',
  'result',
  'verdict',
  'by',
  'effect',
]);

export type Redaction = Readonly<{
  /** Paths of fields such as `input.user.token`; `*` stands for each key and each index. */
  paths: readonly string[];
  /** Values that no event may show. Those shorter than 8 characters are ignored. */
  secrets: readonly string[];
}>;

export type Redactor = (event: TelemetryEvent) => TelemetryEvent;

type Made = Readonly<{ ok: true; redact: Redactor }> | Readonly<{ ok: false; problems: readonly string[] }>;

/**
 * A function that replaces the values of fields, and secrets in every text and key. It is pure, and a second redaction changes nothing.
 * A path that can have no effect is a problem, because its author believes that it has one.
 */
export function createRedactor({ paths, secrets }: Redaction): Made {
  const problems = [
    ...paths.slice(0, MAX_PATHS).flatMap(problemOf),
    ...(paths.length > MAX_PATHS
      ? [`There are ${paths.length} paths to redact; at most ${MAX_PATHS} may be given.`]
      : []),
    ...(secrets.length > MAX_SECRETS
      ? [`There are ${secrets.length} secrets; at most ${MAX_SECRETS} may be given.`]
      : []),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const split = paths.map((path) => path.split('.'));
  const pattern = patternOf(secrets);
  const redact: Redactor = (event) => {
    const fields = Object.entries(event).map(([key, value]: [string, Json]) => {
      const kept = hide(value, inside(split, key));
      return [key, pattern === null ? kept : scanned(key, kept, pattern)];
    });
    // Each value keeps its kind: only texts and the JSON values of `FIELDS` change.
    return Object.fromEntries(fields);
  };
  return { ok: true, redact };
}

function problemOf(path: string): readonly string[] {
  const segments = path.split('.');
  const [first = ''] = segments;
  if (segments.includes('') || segments.length > MAX_SEGMENTS)
    return [`The path "${path}" is malformed: write keys with points between them, at most ${MAX_SEGMENTS}.`];
  if (first !== '*' && !isContent(first))
    return [`The path "${path}" names no field with content: begin with ${FIELDS.join(', ')} or *.`];
  return [];
}

/** The remaining parts of the paths that lead through this key of an event. */
const inside = (paths: readonly (readonly string[])[], key: string): readonly (readonly string[])[] =>
  isContent(key) ? through(paths, key) : [];

const through = (paths: readonly (readonly string[])[], key: string): readonly (readonly string[])[] =>
  paths.filter(([first]) => first === key || first === '*').map((path) => path.slice(1));

function hide(value: Json, paths: readonly (readonly string[])[]): Json {
  if (paths.length === 0) return value;
  if (paths.some((path) => path.length === 0)) return hidden(value);
  if (Array.isArray(value)) return value.map((each, index) => hide(each, through(paths, String(index))));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hide(each, through(paths, key))]));
}

/** A list of texts stays one, because the tags of a task are. */
const hidden = (value: Json): Json => (Array.isArray(value) ? value.map(() => REDACTED) : REDACTED);

/** Finds each secret, also as it stands in JSON and in an address. The longest comes first, as one may contain another. */
function patternOf(secrets: readonly string[]): RegExp | null {
  const long = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS);
  const forms = long.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
  ]);
  const known = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
  return known.length === 0 ? null : new RegExp(known.map(escaped).join('|'), 'g');
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/** A field of an event without secrets. Keys can have them only where people and models wrote the keys. */
function scanned(key: string, value: Json, pattern: RegExp): Json {
  if (isContent(key)) return withoutSecrets(value, pattern);
  if (typeof value === 'string') return CLOSED.has(key) ? value : value.replaceAll(pattern, REDACTED);
  if (key !== 'failure' || typeof value !== 'object' || value === null) return value;
  const names = Object.entries(value).map(([name, each]) => [
    name,
    typeof each !== 'string' || name === 'category' ? each : each.replaceAll(pattern, REDACTED),
  ]);
  return Object.fromEntries(names);
}

function withoutSecrets(value: Json, pattern: RegExp): Json {
  if (typeof value === 'string') return value.replaceAll(pattern, REDACTED);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, pattern));
  const names = new Set<string>();
  const entries = Object.entries(value).map(([key, each]) => {
    const name = free(key.replaceAll(pattern, REDACTED), names);
    names.add(name);
    return [name, withoutSecrets(each, pattern)] as const;
  });
  return Object.fromEntries(entries);
}

/** Two keys that become the same keep both values. */
function free(name: string, taken: ReadonlySet<string>): string {
  let found = name;
  for (let number = 2; taken.has(found); number += 1) found = `${name}#${number}`;
  return found;
}
