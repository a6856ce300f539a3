import { boundedBody } from '../service/bounded-body.ts';

const ATTEMPT_MS = 10_000;
const ANSWER_MAX_BYTES = 64 << 10;
/** Longest wait that a collector may ask for. */
const WAIT_MAX_MS = 30_000;
/** The only statuses after which the protocol allows a retry. */
const REPEATABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** `rejected`: spans that the collector refused; the others arrived. `waitMs`: the wait that it asks for, or null. */
type Posted =
  | { readonly kind: 'taken'; readonly rejected: number }
  | { readonly kind: 'again'; readonly waitMs: number | null; readonly error: Error }
  | { readonly kind: 'refused'; readonly error: Error };

/** Posts a request of OTLP/HTTP in JSON once. Does not throw. */
export async function postSpans(url: string, body: string, ended: AbortSignal): Promise<Posted> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'error',
      signal: AbortSignal.any([ended, AbortSignal.timeout(ATTEMPT_MS)]),
    });
    const text = (await boundedBody(response.body, ANSWER_MAX_BYTES)).toString('utf8');
    if (response.ok) return { kind: 'taken', rejected: rejectedIn(text) };
    const error = new Error(`the collector ${url} answered ${response.status}: check its address and its log`);
    if (!REPEATABLE.has(response.status)) return { kind: 'refused', error };
    return { kind: 'again', waitMs: waitIn(response.headers.get('retry-after')), error };
  } catch (cause) {
    const error = new Error(`the collector ${url} does not answer: check HAMLET_TRACING_ENDPOINT`, { cause });
    return { kind: 'again', waitMs: null, error };
  }
}

function rejectedIn(text: string): number {
  try {
    const count = Number(JSON.parse(text)?.partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}

/** Collectors write seconds; a date counts as absent. */
function waitIn(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Math.min(WAIT_MAX_MS, Number(header) * 1_000) : null;
}
