import type { RouteSpec } from '@hamlet/contract';
import { randomUUID } from 'node:crypto';

/** Later versions begin like version 00, which has 55 characters, and may add fields; version ff is invalid. */
const TRACEPARENT = /^(?!ff|00-.{53})[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const SAMPLED = 1;

/** A `traceparent` of the W3C: the trace, and the span in it whose sender wrote the header. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Null without a valid header. Pure. */
export function readTraceparent(header: string | null | undefined): TraceContext | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(header ?? '') ?? [];
  const isValid = [traceId, spanId].every((id) => id !== '' && !/^0+$/.test(id));
  return isValid ? { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED } : null;
}

export const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** A request that has been answered. Times: milliseconds since 1970. */
export interface ServedRequest {
  readonly route: RouteSpec;
  readonly role: string;
  readonly status: number;
  /** The `traceparent` that came with it, and that of its own span. */
  readonly given: string | undefined;
  readonly traceparent: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface RequestTracing {
  /** True if a new trace with this id is recorded. */
  readonly samples: (traceId: string) => boolean;
  readonly served: (request: ServedRequest) => void;
}

/** Never all zero. Derived from a UUID, because Node makes UUIDs in batches, five times faster than random bytes. */
const newTraceId = (): string => randomUUID().replaceAll('-', '');

const newSpanId = (): string => newTraceId().slice(16);

/**
 * The `traceparent` of a new span, in the caller's trace or in a new one. `samples` decides whether a new trace is
 * recorded; by default it is not.
 */
export function continueTrace(header: string | undefined, samples?: (traceId: string) => boolean): string {
  const known = readTraceparent(header);
  const traceId = known?.traceId ?? newTraceId();
  const isSampled = known?.isSampled ?? samples?.(traceId) ?? false;
  return traceparentOf({ traceId, spanId: newSpanId(), isSampled });
}
