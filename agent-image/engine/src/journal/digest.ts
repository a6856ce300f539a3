import { hash } from 'node:crypto';

const DIGEST_LENGTH = 22;

/**
 * The first 132 bits of SHA-256 over salt and text, base64url. The random secret salt prevents a reader from searching for two
 * texts with the same digest, and from confirming a guess about a deleted text.
 */
export const digest = (salt: string, text: string): string =>
  hash('sha256', `${salt}\0${text}`, 'base64url').slice(0, DIGEST_LENGTH);

/** JSON with sorted keys: values that are equal as JSON have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (isJsonObject(part) ? sorted(part) : part)) ?? 'null';
}

/** True for an object of JSON, which is no list. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
