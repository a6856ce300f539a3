import { REFUSALS } from '@hamlet/contract';
import type { Problem, Refusal } from '@hamlet/contract';

/** The word that OpenAI has for a kind of refusal, by which its clients tell them apart. */
function typeOf(reason: Refusal): string {
  const { status } = REFUSALS[reason];
  if (reason === 'insufficient_funds' || reason === 'token_quota_exhausted') return 'insufficient_quota';
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** A problem as OpenAI's clients read it. Pure. */
export function openAiErrorOf(problem: Problem): NonNullable<Problem['error']> {
  const param = problem.errors?.[0]?.path.replace(/^body\./, '') ?? null;
  return { message: problem.detail, type: typeOf(problem.code), param, code: problem.code };
}
