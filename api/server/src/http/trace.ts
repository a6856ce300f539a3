import { randomUUID } from 'node:crypto';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Thirty-two digits, never all zero: those of a random UUID. Node draws the bytes of many at once; to ask for sixteen each time costs five times as much. */
function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

/** Sixteen random digits, never all zero. */
function newSpanId(): string {
  return newTraceId().slice(16);
}

/** Continues the caller's trace with a span of our own, or begins one (W3C Trace Context). */
export function continueTrace(header: string | undefined): string {
  const [, trace, , flags] = header === undefined ? [] : (TRACEPARENT.exec(header) ?? []);
  const known = trace !== undefined && !/^0+$/.test(trace);
  return `00-${known ? trace : newTraceId()}-${newSpanId()}-${known ? flags : '00'}`;
}
