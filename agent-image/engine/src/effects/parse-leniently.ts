import type { z } from 'zod';
import { isJsonObject } from '../journal/digest.ts';

/**
 * Parses the arguments of a call. Where the schema wants another type than the model wrote, but the text means a value of that
 * type, it uses this value: `"[1, 2]"` for a list, `"5"` for a number, `5` for a text. An error names only what is left.
 */
export function parseLeniently<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed;
  const repaired = structuredClone(value);
  const repairs = parsed.error.issues.filter((issue) => repair(repaired, issue));
  return repairs.length === 0 ? parsed : schema.safeParse(repaired);
}

type Issue = z.core.$ZodIssue;

/** Replaces the value of an issue in place. False if there is nothing to replace. */
function repair(root: unknown, issue: Issue): boolean {
  const key = issue.path.at(-1);
  if (issue.code !== 'invalid_type' || key === undefined) return false;
  const holder = issue.path.slice(0, -1).reduce(within, root);
  const meant = meantBy(within(holder, key), issue.expected);
  if (meant === undefined || typeof holder !== 'object' || holder === null) return false;
  return Reflect.set(holder, key, meant);
}

const within = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;

function meantBy(written: unknown, expected: string): unknown {
  if (expected === 'string') return ['number', 'boolean'].includes(typeof written) ? String(written) : undefined;
  if (typeof written !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(written);
    return isOf(value, expected) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOf(value: unknown, expected: string): boolean {
  switch (expected) {
    case 'array':
      return Array.isArray(value);
    case 'object':
    case 'record':
      return isJsonObject(value);
    case 'int':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value));
    default:
      return typeof value === expected;
  }
}
