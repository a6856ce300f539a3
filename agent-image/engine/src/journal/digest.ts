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
  return JSON.stringify(value, (_key, part: unknown) => (isRecord(part) ? sorted(part) : part)) ?? 'null';
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
