import { createHash } from 'node:crypto';
import { wellFormed } from '@hamlet/contract';
import { compareText } from '@hamlet/core';

const LEVELS_MAX = 32;

/** Arguments of a call. `text` is canonical JSON: equal values have the same text. `hash` is its SHA-256. */
export interface CallArguments {
  readonly text: string;
  readonly hash: Uint8Array;
  readonly value: unknown;
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => compareText(a, b));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}

/** Reads the arguments that a model wrote; null if they are not JSON, or nested too deeply. Pure. */
export function readArguments(json: string): CallArguments | null {
  try {
    const parsed: unknown = JSON.parse(json);
    if (!isShallow(parsed, LEVELS_MAX)) return null;
    const value = wellFormed(parsed);
    const text = JSON.stringify(sorted(value));
    return { text, hash: createHash('sha256').update(text).digest(), value };
  } catch {
    return null;
  }
}
