import type { z } from 'zod';

/** Longest JSON text of an input or output in an event, in characters. */
const MAX_CHARS = 16_384;
/** Deepest nesting of an input or output in an event. */
const MAX_DEPTH = 32;

export type Json = z.infer<ReturnType<typeof z.json>>;

/** The JSON value of a text as an event carries it: bounded, with a text in brackets in place of what is left out. */
export function payloadOf(text: string | null): Json {
  if (text === null) return '[deleted]';
  if (text.length > MAX_CHARS) return `[left out: ${text.length} characters]`;
  try {
    return shallow(JSON.parse(text), 0);
  } catch {
    return text;
  }
}

/** A value of unknown type in the form that an event carries. */
export const payloadOfValue = (value: unknown): Json =>
  value === undefined ? null : payloadOf(JSON.stringify(value) ?? 'null');

function shallow(value: unknown, depth: number): Json {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (depth === MAX_DEPTH) return '[left out: too deep]';
  if (Array.isArray(value)) return value.map((each) => shallow(each, depth + 1));
  // `fromEntries` defines its keys, so `__proto__` is a key like all others.
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shallow(each, depth + 1)]));
}

const scalar = (value: unknown): Json =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
