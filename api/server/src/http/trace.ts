import { randomBytes } from 'node:crypto';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Continues the caller's trace with a span of our own, or begins one (W3C Trace Context). */
export function continueTrace(header: string | undefined): string {
  const [, trace, , flags] = TRACEPARENT.exec(header ?? '') ?? [];
  const known = trace !== undefined && !/^0+$/.test(trace);
  return `00-${known ? trace : randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-${known ? flags : '00'}`;
}
