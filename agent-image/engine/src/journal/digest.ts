import { hash } from 'node:crypto';

const DIGEST_LENGTH = 22;

/**
 * The first 132 bits of SHA-256 over salt and text, base64url. The salt is secret and random: without it no reader can look for two
 * texts with one digest, or confirm a guess of a short text that was deleted.
 */
export const digest = (salt: string, text: string): string =>
  hash('sha256', `${salt}\0${text}`, 'base64url').slice(0, DIGEST_LENGTH);

/** JSON with sorted keys: two values that are equal as JSON have the same text. */
export function canonicalJson(value: unknown): string {
  if (isSorted(value)) return JSON.stringify(value) ?? 'null';
  return JSON.stringify(value, (_key, part: unknown) => (isRecord(part) ? sorted(part) : part)) ?? 'null';
}

/** True if all keys of a value stand in their order already, as in most texts. */
function isSorted(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isSorted);
  if (!isRecord(value)) return true;
  let before = '';
  for (const key of Object.keys(value)) {
    if (key < before || !isSorted(value[key])) return false;
    before = key;
  }
  return true;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(record)
      .toSorted()
      .map((key) => [key, record[key]]),
  );
