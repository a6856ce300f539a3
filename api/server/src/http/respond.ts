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

function typeOf(reason: Refusal): string {
  const { status } = REFUSALS[reason];
  if (reason === 'insufficient_funds' || reason === 'token_quota_exhausted') return 'insufficient_quota';
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

export function openAiErrorOf(problem: Problem): NonNullable<Problem['error']> {
  const param = problem.errors?.[0]?.path.replace(/^body\./, '') ?? null;
  return { message: problem.detail, type: typeOf(problem.code), param, code: problem.code };
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

export function anthropicErrorOf(problem: Problem): NonNullable<Problem['error']> {
  const byStatus = ANTHROPIC_TYPES[problem.status] ?? (problem.status >= 500 ? 'api_error' : 'invalid_request_error');
  const type = problem.code === 'insufficient_funds' ? 'billing_error' : byStatus;
  return { ...openAiErrorOf(problem), type };
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

function clientProblem(problem: Problem, path: string): Problem {
  if (path.startsWith(MESSAGES_PREFIX)) return { ...problem, type: 'error', error: anthropicErrorOf(problem) };
  return path.startsWith(MODELS_PREFIX) ? { ...problem, error: openAiErrorOf(problem) } : problem;
}

export function sendRefusal(response: Response, refusal: Refused, requestId: string): void {
  const problem = clientProblem(problemOf(refusal, requestId), response.req.originalUrl);
  showLimits(response, refusal.limits);
  const retryAfterS = refusal.retryAfterS ?? (problem.status === 503 ? UNAVAILABLE_RETRY_S : undefined);
  if (retryAfterS !== undefined) response.set('retry-after', String(retryAfterS));
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
