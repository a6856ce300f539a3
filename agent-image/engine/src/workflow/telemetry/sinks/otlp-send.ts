import type { ClockPort } from '../../../loop/ports.ts';
import { withinTime } from '../../../effects/within-time.ts';

const MAX_ATTEMPTS = 5;
/** Wait before the second attempt; it doubles with each further one. */
const FIRST_WAIT_MS = 500;
/** Longest wait before an attempt, even if the receiver asks for more. */
const MAX_WAIT_MS = 30_000;
/** Time of one attempt, and of all together with their waits. */
const ATTEMPT_MS = 10_000;
const TOTAL_MS = 60_000;
/** Largest answer that is read, in bytes. */
const MAX_ANSWER = 64 << 10;
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The receiver did not take the spans. `code`: `otlp_unreachable`, `otlp_refused` or `otlp_partial`. */
export class OtlpError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OtlpError';
    this.code = code;
  }
}

export type OtlpPorts = Readonly<{ clock: ClockPort; random: () => number; fetch: typeof fetch }>;

type Attempt = Readonly<{ kind: 'done' }> | Readonly<{ kind: 'again'; afterMs: number | null; error: OtlpError }>;

/** Posts a request of OTLP/JSON. Repeats only what the protocol allows to repeat, at most five times and for a minute. */
export async function postOtlp(
  url: string,
  body: string,
  ports: OtlpPorts & Readonly<{ signal: AbortSignal }>,
): Promise<void> {
  const { clock, random, signal } = ports;
  const deadline = clock.monotonic() + TOTAL_MS;
  for (let attempt = 1; ; attempt += 1) {
    const result = await post(url, body, ports);
    if (result.kind === 'done') return;
    // Waits that differ keep many senders from coming back together.
    const backoffMs = FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + random() / 2);
    const waitMs = Math.min(MAX_WAIT_MS, result.afterMs ?? backoffMs);
    if (attempt === MAX_ATTEMPTS || signal.aborted || clock.monotonic() + waitMs > deadline) throw result.error;
    await clock.sleep(waitMs, signal);
    if (signal.aborted) throw result.error;
  }
}

async function post(url: string, body: string, ports: OtlpPorts & Readonly<{ signal: AbortSignal }>): Promise<Attempt> {
  const limit = { timeoutMs: ATTEMPT_MS, signal: ports.signal, after: ports.clock.after };
  const unreachable = (cause: unknown): Attempt => ({
    kind: 'again',
    afterMs: null,
    error: new OtlpError('otlp_unreachable', `${url} does not answer. Check the endpoint of the sink.`, { cause }),
  });
  try {
    return await withinTime<Attempt>(limit, (signal) => request(url, body, { ...ports, signal }), {
      timedOut: () => unreachable(null),
      aborted: () => unreachable(null),
    });
  } catch (error) {
    if (error instanceof OtlpError) throw error;
    return unreachable(error);
  }
}

async function request(
  url: string,
  body: string,
  { fetch: send, signal, clock }: OtlpPorts & Readonly<{ signal: AbortSignal }>,
): Promise<Attempt> {
  const headers = { 'content-type': 'application/json' };
  const response = await send(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  const text = await bounded(response);
  if (response.ok) {
    checkAnswer(url, text);
    return { kind: 'done' };
  }
  const error = new OtlpError('otlp_refused', `${url} answered ${response.status}: ${text.slice(0, 200)}`);
  if (!RETRYABLE.has(response.status)) throw error;
  return { kind: 'again', afterMs: retryAfterMs(response.headers.get('retry-after'), clock.now()), error };
}

/** The beginning of the answer. The rest is not read. */
async function bounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= MAX_ANSWER) break;
  }
  return Buffer.concat(parts).subarray(0, MAX_ANSWER).toString('utf8');
}

/** A receiver that took only some of the spans must not get them again. Answers that are not JSON are ignored. */
function checkAnswer(url: string, text: string): void {
  const { rejectedSpans, errorMessage } = partialIn(text);
  const rejected = Number(rejectedSpans ?? 0);
  if (rejected > 0)
    throw new OtlpError('otlp_partial', `${url} rejected ${rejected} spans: ${String(errorMessage ?? '')}`);
}

function partialIn(text: string): { rejectedSpans?: unknown; errorMessage?: unknown } {
  try {
    return JSON.parse(text)?.partialSuccess ?? {};
  } catch {
    return {};
  }
}

/** Seconds or a date; null if the header is absent or malformed. */
function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
