import { PROBLEM_CONTENT_TYPE, REFUSALS, type Problem, type Refusal } from '@hamlet/contract';
import {
  DatabaseBusyError,
  isConflict,
  isConnectionError,
  isUnkeepableText,
  isVillageFrozenError,
} from '@hamlet/store';
import type { Response } from 'express';
import { refused, type Refused } from './outcome.ts';
import { showLimits } from './rate-limit.ts';

/** Longest wait, in seconds, that the API asks of a client. A refusal with a longer wait counts as final. */
const CLIENT_WAIT_MAX_S = 120;
const QUOTA: ReadonlySet<Refusal> = new Set<Refusal>(['insufficient_funds', 'run_budget_spent', 'account_closed']);

/** OpenAI's codes for refusals, because its clients act upon them: they compact, give up or name the model. */
const OPENAI_CODES: Partial<Readonly<Record<Refusal, string>>> = {
  context_too_long: 'context_length_exceeded',
  model_not_in_tier: 'model_not_found',
  model_not_served: 'model_not_found',
};

/** True if money or the tokens of the hour are used up, and the rest of the hour is too long to wait for. */
function isQuotaSpent(reason: Refusal, waitS: number | undefined): boolean {
  return QUOTA.has(reason) || (reason === 'token_quota_exhausted' && (waitS ?? 0) > CLIENT_WAIT_MAX_S);
}

function typeOf(reason: Refusal): string {
  const { status } = REFUSALS[reason];
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

export function openAiErrorOf(problem: Problem, waitS?: number): NonNullable<Problem['error']> {
  const { code: reason, detail: message, cause } = problem;
  const param = problem.errors?.[0]?.path.replace(/^body\./, '') ?? null;
  const more = {
    ...(cause === undefined ? {} : { cause }),
    ...(waitS === undefined ? {} : { resets_in_seconds: waitS }),
  };
  if (isQuotaSpent(reason, waitS))
    return { message, type: 'insufficient_quota', param, code: 'insufficient_quota', ...more };
  return { message, type: typeOf(reason), param, code: OPENAI_CODES[reason] ?? reason, ...more };
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

export function anthropicErrorOf(problem: Problem, waitS?: number): NonNullable<Problem['error']> {
  const byStatus = ANTHROPIC_TYPES[problem.status] ?? (problem.status >= 500 ? 'api_error' : 'invalid_request_error');
  const type = QUOTA.has(problem.code) ? 'billing_error' : byStatus;
  return { ...openAiErrorOf(problem, waitS), type };
}

const UNAVAILABLE_RETRY_S = 1;

export function problemOf(refusal: Refused, requestId: string): Problem {
  const { status, title } = REFUSALS[refusal.reason];
  return {
    type: `/api/v1/docs#${refusal.reason}`,
    title,
    status,
    detail: refusal.detail ?? title,
    code: refusal.reason,
    request_id: requestId,
    ...(refusal.cause === undefined ? {} : { cause: refusal.cause }),
    ...(refusal.errors === undefined ? {} : { errors: [...refusal.errors] }),
  };
}

const AUTHENTICATE: ReadonlySet<Refusal> = new Set<Refusal>([
  'unauthenticated',
  'token_invalid',
  'token_review_refused',
]);

const MODELS_PREFIX = '/v1/';
const MESSAGES_PREFIX = '/v1/messages';

function clientProblem(problem: Problem, path: string, waitS: number | undefined): Problem {
  if (path.startsWith(MESSAGES_PREFIX)) return { ...problem, type: 'error', error: anthropicErrorOf(problem, waitS) };
  return { ...problem, error: openAiErrorOf(problem, waitS) };
}

/**
 * Official clients retry some statuses by themselves. They must not retry a refusal that is permanent or needs a long
 * wait.
 */
function showRetry(response: Response, reason: Refusal, waitS: number | undefined): void {
  const isFinal = REFUSALS[reason].retry !== 'later' || (waitS ?? 0) > CLIENT_WAIT_MAX_S;
  if (isFinal) response.set('x-should-retry', 'false');
  else if (waitS !== undefined) response.set('retry-after', String(waitS));
}

export function sendRefusal(response: Response, refusal: Refused, requestId: string): void {
  const path = response.req.originalUrl;
  const general = problemOf(refusal, requestId);
  const waitS = refusal.retryAfterS ?? (general.status === 503 ? UNAVAILABLE_RETRY_S : undefined);
  const isOfModels = path.startsWith(MODELS_PREFIX);
  const problem = isOfModels ? clientProblem(general, path, waitS) : general;
  showLimits(response, refusal.limits);
  if (isOfModels) showRetry(response, refusal.reason, waitS);
  else if (waitS !== undefined) response.set('retry-after', String(waitS));
  if (AUTHENTICATE.has(refusal.reason)) response.set('www-authenticate', 'Bearer');
  response
    .status(problem.status)
    .set('cache-control', 'no-store')
    .type(PROBLEM_CONTENT_TYPE)
    .send(JSON.stringify(problem));
}

export function refusalOfError(error: unknown): Refused {
  if (error instanceof UnavailableError) return refused('unavailable', error.message);
  if (isVillageFrozenError(error)) return refused('village_frozen');
  if (error instanceof DatabaseBusyError) return refused('unavailable', 'The database is overloaded; try again');
  if (isConnectionError(error)) return refused('unavailable', 'The database is unreachable; try again');
  if (isConflict(error)) return refused('unavailable', 'Another request is changing the same data; try again');
  if (isUnkeepableText(error))
    return refused('validation_failed', 'A text contains a NUL or half of a surrogate pair; remove it');
  return refused('internal');
}

/** A part that a request needs is temporarily unavailable. The caller sees the message. */
export class UnavailableError extends Error {}
