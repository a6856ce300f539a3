import { z } from 'zod';
import { ModelFault, type ModelErrorCode } from '../chat/model-error.ts';
import type { ServerAnswer } from './server-answer.ts';

/** A failure as a provider reports it: in an HTTP answer, or in the middle of a stream (without status and headers). */
export interface ReportedError {
  readonly status?: number | undefined;
  readonly headers?: ServerAnswer['headers'] | undefined;
  readonly body: unknown;
}

const Text = z.string().catch('');
const Word = z.union([z.string(), z.number().transform(String)]).catch('');
const Details = z.object({
  message: Text,
  type: Word,
  code: Word,
  resets_in_seconds: z.number().nullish().catch(null),
});
/** The error fields of all providers; a field of another type counts as absent. */
const ErrorBody = z.object({
  error: z.union([z.string(), z.looseObject({})]).nullish(),
  detail: z.union([z.string(), z.looseObject({})]).nullish(),
  message: Text,
});

interface Parts {
  readonly message: string;
  readonly words: string;
  readonly resetsInS: number | null;
}

function partsOf(body: unknown): Parts {
  if (typeof body === 'string') return { message: body, words: '', resetsInS: null };
  const outer = ErrorBody.safeParse(body);
  if (!outer.success) return { message: '', words: '', resetsInS: null };
  const inner = outer.data.error ?? outer.data.detail;
  if (typeof inner === 'string') return { message: inner, words: '', resetsInS: null };
  const details = Details.parse(inner ?? body);
  const upstream = UpstreamError.safeParse(inner);
  return {
    message: upstream.success ? `${details.message}: ${upstream.data.metadata.raw}` : details.message,
    words: `${details.code} ${details.type}`,
    resetsInS: details.resets_in_seconds ?? null,
  };
}

/** OpenRouter forwards the error text of the upstream provider. */
const UpstreamError = z.object({ metadata: z.object({ raw: z.string() }) });

/** Codes and types that the providers document. The first that matches decides. */
const BY_WORD: readonly (readonly [RegExp, ModelErrorCode])[] = [
  [/insufficient_quota|billing|usage_limit_reached|usage_not_included|insufficient_credits/, 'quota'],
  [/context_length_exceeded|request_too_large|context_window/, 'context_too_long'],
  [/content_filter|content_policy|moderation|invalid_prompt/, 'content_refused'],
  [/invalid_api_key|authentication_error|permission_error|token_expired|token_invalidated/, 'auth'],
  [/rate_limit/, 'rate'],
  [/overloaded|slow_down|server_error|api_error|timeout_error|unavailable/, 'overloaded'],
];

/** Messages of servers without codes, or with one code for several failures. */
const BY_MESSAGE: readonly (readonly [RegExp, ModelErrorCode])[] = [
  [
    /credit balance is too low|requires more credits|insufficient credits|exceeded your current quota|usage limit/i,
    'quota',
  ],
  [
    /maximum context length|prompt is too long|context window|exceeds? (the |its )?(available |maximum )?(context|model length)|input length .*exceed/i,
    'context_too_long',
  ],
  [/flagged|content (management |filtering )?policy|requires moderation|guardrail/i, 'content_refused'],
];

const BY_STATUS: Readonly<Record<number, ModelErrorCode>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  408: 'network',
  409: 'overloaded',
  413: 'context_too_long',
  429: 'rate',
};

/** The code for a status. For a failure in a stream, OpenRouter reports the status of the upstream provider. */
function codeOfStatus(status: number): ModelErrorCode {
  return BY_STATUS[status] ?? (status >= 500 ? 'overloaded' : 'bad_request');
}

function codeOf(status: number | undefined, { message, words }: Parts): ModelErrorCode {
  const byWord = BY_WORD.find(([pattern]) => pattern.test(words))?.[1];
  if (byWord !== undefined) return byWord;
  const known = status ?? Number(/\b[45]\d\d\b/.exec(words)?.[0] ?? 500);
  // Anthropic and vLLM use one type for several failures; the message distinguishes them, except for failures of the
  // server itself.
  const byMessage = BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
  const isServerError = status !== undefined && status >= 500;
  return byMessage === undefined || isServerError ? codeOfStatus(known) : byMessage;
}

/** `Please try again in 1m2.5s`, `20ms`. */
const TRY_AGAIN = /try again in (?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?/i;

function waitInMessage(message: string): number | undefined {
  const [, minutes = '', amount = '', unit = ''] = TRY_AGAIN.exec(message) ?? [];
  if (minutes === '' && amount === '') return undefined;
  return Math.ceil(Number(minutes) * 60_000 + Number(amount) * (unit === 'ms' ? 1 : 1_000));
}

function waitInHeaders(headers: ReportedError['headers'], nowMs: number): number | undefined {
  const exact = headers?.get('retry-after-ms') ?? '';
  if (/^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
  const after = headers?.get('retry-after') ?? '';
  if (/^\d+(\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1_000);
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** Converts a provider's failure report to a fault. Pure. */
export function classifyError({ status, headers, body }: ReportedError, nowMs: number): ModelFault {
  const parts = partsOf(body);
  const code = codeOf(status, parts);
  const fromBody = parts.resetsInS === null ? waitInMessage(parts.message) : parts.resetsInS * 1_000;
  const retryAfterMs = waitInHeaders(headers, nowMs) ?? fromBody;
  const message = parts.message === '' ? `the provider answered with status ${status ?? 'unknown'}` : parts.message;
  return new ModelFault(code, message, {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
