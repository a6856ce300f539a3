import { MODEL_ERROR_CODES, ModelFault, type ModelErrorCode } from '../chat/model-error.ts';
import { wordsOf, type ReportWords } from './error-report.ts';
import type { ServerAnswer } from './server-answer.ts';

/** A failure as a provider reports it: in an HTTP answer, or in the middle of a stream (without status and headers). */
interface ReportedError {
  readonly status?: number | undefined;
  readonly headers?: ServerAnswer['headers'] | undefined;
  readonly body: unknown;
}

type Rules = readonly (readonly [RegExp, ModelErrorCode])[];

/** Codes and types that the providers document. The first that matches decides. */
const BY_WORD: Rules = [
  [/insufficient_(quota|credits|balance)|billing|usage_limit_reached|usage_not_included|payment_required/i, 'quota'],
  [
    /context_length_exceeded|exceed_context_size|request_too_large|context_window|tokens_limit_reached/i,
    'context_too_long',
  ],
  [/content_filter|content_policy|moderation|invalid_prompt/i, 'content_refused'],
  [/invalid_api_key|authentication_error|unauthenticated|token_expired|token_invalidated/i, 'auth'],
  [/permission_error|permission_denied/i, 'forbidden'],
  [/model_not_found|deployment_?not_?found|model_not_available/i, 'no_such_model'],
  [/rate_limit/i, 'rate'],
];

/** Messages of servers without codes, or with one code for several failures, even if they call it their own failure. */
const BY_MESSAGE: Rules = [
  [
    /credit balance is too low|requires more credits|insufficient (credits|balance)|exceeded your current quota|usage limit/i,
    'quota',
  ],
  [
    /(maximum|model'?s?) context length|context (size|length|window) .*(exceed|full)|exceeds? (the |its )?(available |maximum )?(context|model length)|context window/i,
    'context_too_long',
  ],
  [
    /(prompt|input|request) is too (long|large)|input length .*exceed|input token count .*exceeds|reduce the length of the (messages|prompt|input)|too many (input )?tokens|too large for model/i,
    'context_too_long',
  ],
];

/** Messages that count unless the server reports a failure of its own. */
const BY_MESSAGE_OF_REFUSAL: Rules = [
  [/flagged|content (management |filtering )?policy|requires moderation|guardrail/i, 'content_refused'],
  [
    /model\b.{0,120}\b(does not exist|not exist|not found|is not available|is not a valid model)|(no|unknown) (such )?model|not a valid model|no endpoints found for|^model: /i,
    'no_such_model',
  ],
];

/** Words for a failure without a closer cause. */
const BY_VAGUE_WORD: Rules = [[/overloaded|slow_down|server_error|api_error|timeout_error|unavailable/i, 'overloaded']];

const BY_STATUS: Readonly<Record<number, ModelErrorCode>> = {
  401: 'auth',
  402: 'quota',
  403: 'forbidden',
  408: 'network',
  409: 'overloaded',
  413: 'context_too_long',
  429: 'rate',
};

/** The code for a status. For a failure in a stream, OpenRouter reports the status of the upstream provider. */
function codeOfStatus(status: number): ModelErrorCode {
  return BY_STATUS[status] ?? (status >= 500 ? 'overloaded' : 'bad_request');
}

const find = (rules: Rules, text: string): ModelErrorCode | undefined =>
  rules.find(([pattern]) => pattern.test(text))?.[1];

function codeOfWords({ message, words }: ReportWords, isRefusal: boolean): ModelErrorCode | undefined {
  return (
    find(BY_WORD, words) ??
    find(BY_MESSAGE, message) ??
    (isRefusal ? find(BY_MESSAGE_OF_REFUSAL, message) : undefined) ??
    find(BY_VAGUE_WORD, words)
  );
}

function codeOf(status: number | undefined, report: ReportWords): ModelErrorCode {
  const own = MODEL_ERROR_CODES.find((code) => code === report.cause);
  const known = status ?? Number(/\b[45]\d\d\b/.exec(report.words)?.[0] ?? 500);
  return own ?? codeOfWords(report, status === undefined || status < 500) ?? codeOfStatus(known);
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

/** Converts a provider's failure report to a fault with the provider's words. Pure. */
export function classifyError({ status, headers, body }: ReportedError, nowMs: number): ModelFault {
  const parts = wordsOf(body);
  const code = codeOf(status, parts);
  const fromBody = parts.resetsInS === null ? waitInMessage(parts.message) : parts.resetsInS * 1_000;
  const retryAfterMs = waitInHeaders(headers, nowMs) ?? fromBody;
  const message = parts.message === '' ? `the provider answered with status ${status ?? 'unknown'}` : parts.message;
  return new ModelFault(code, message, {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
