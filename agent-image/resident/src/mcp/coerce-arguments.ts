import { isJsonObject } from '@hamlet/engine';
import type { JsonObject } from './safe-validator.ts';
import { schemaAt } from './usable-schema.ts';

declare global {
  interface JSON {
    /** A value that JSON shows as this text of a number. */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

const DEPTH_MAX = 20;

/**
 * The arguments with the types that the schema wants, where a model wrote a text instead: `"50"`, `"true"`, `"[1, 2]"`. An integer
 * beyond 2^53 keeps all digits. Values that fit stay as they are. Pure.
 */
export const coerceArguments = (schema: JsonObject, value: unknown): unknown =>
  coerced(schema, value, { root: schema, depth: 0 });

interface Place {
  readonly root: JsonObject;
  readonly depth: number;
}

function coerced(given: unknown, value: unknown, { root, depth }: Place): unknown {
  const schema = target(given, root);
  if (schema === null || depth > DEPTH_MAX) return value;
  const place = { root, depth: depth + 1 };
  const typed = typeof value === 'string' ? fromText(value, wantedBy(schema, place)) : value;
  if (Array.isArray(typed)) return typed.map((each) => coerced(schema['items'], each, place));
  if (!isJsonObject(typed) || JSON.isRawJSON(typed)) return typed;
  const { properties, additionalProperties } = schema;
  const of = isJsonObject(properties) ? properties : {};
  return Object.fromEntries(
    Object.entries(typed).map(([name, each]) => [name, coerced(of[name] ?? additionalProperties, each, place)]),
  );
}

/** The schema behind a reference; null if there is none. */
function target(schema: unknown, root: JsonObject): JsonObject | null {
  let at = schema;
  for (let hops = 0; hops < DEPTH_MAX; hops += 1) {
    if (!isJsonObject(at)) return null;
    if (at['$ref'] === undefined) return at;
    at = schemaAt(at['$ref'], root);
  }
  return null;
}

/** The types that a value may have; empty if it may have any. */
function wantedBy(schema: JsonObject, { root, depth }: Place): ReadonlySet<unknown> {
  const { type, anyOf, oneOf } = schema;
  if (type !== undefined) return new Set(Array.isArray(type) ? type : [type]);
  const branches = Array.isArray(anyOf) ? anyOf : oneOf;
  if (!Array.isArray(branches) || depth > DEPTH_MAX) return new Set();
  const types = branches.map((each) => {
    const branch = target(each, root);
    return branch === null ? new Set<unknown>() : wantedBy(branch, { root, depth: depth + 1 });
  });
  return types.some((each) => each.size === 0) ? new Set() : new Set(types.flatMap((each) => [...each]));
}

function fromText(text: string, wanted: ReadonlySet<unknown>): unknown {
  if (wanted.size === 0 || wanted.has('string')) return text;
  const trimmed = text.trim();
  if (/^-?\d+$/.test(trimmed) && (wanted.has('integer') || wanted.has('number'))) return exactInteger(trimmed);
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch {
    return text;
  }
  return wanted.has(typeName(value)) ? value : text;
}

/** The server gets all digits of the integer. */
function exactInteger(digits: string): unknown {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : JSON.rawJSON(BigInt(digits).toString());
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The arguments as a validator can check them: an exact integer as the nearest number. Pure. */
export const checkable = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');
