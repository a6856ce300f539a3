import { hash } from 'node:crypto';

/** A span of a trace. Its attributes are names and numbers, never texts of people, models or tools. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  /** Null ones are left out. */
  readonly attributes: Readonly<Record<string, string | number | null>>;
  /** The code of a failure; null for a span that succeeded. */
  readonly error: string | null;
}

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

function digest(parts: readonly string[], digits: number): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, digits);
}

/**
 * Ids are hashes of the village's ids, so that each part can compute those of the others, and a span that is sent twice
 * has the same id. Pure.
 */
export const traceIdOf = (...parts: readonly string[]): string => digest(['trace', ...parts], TRACE_DIGITS);
export const spanIdOf = (...parts: readonly string[]): string => digest(['span', ...parts], SPAN_DIGITS);

/** The digits that the W3C requires to be random, and the number of their values. */
const RANDOM_DIGITS = 13;
const RANDOM_VALUES = 16 ** RANDOM_DIGITS;

/** True for about this share of traces, and always the same for one trace. Pure. */
export function isInSample(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) < ratio * RANDOM_VALUES;
}
