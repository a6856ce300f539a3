import { MODEL_ERRORS, type ModelError, type ModelErrorCode } from '../chat/model-error.ts';

/** Number and waits of a request's attempts; waits in milliseconds. Each field is an option of the configuration. */
export interface RetryPolicy {
  /** Attempts for each target of a chain, the first one included. */
  readonly attempts: number;
  /** Wait before the second attempt; each further wait is twice as long. */
  readonly firstDelayMs: number;
  /** Longest wait. If a provider requests a longer one, the request goes to the next target or fails. */
  readonly maxDelayMs: number;
}

export const RETRY_POLICY: RetryPolicy = { attempts: 3, firstDelayMs: 500, maxDelayMs: 20_000 };

export interface FailedTry {
  readonly error: ModelError;
  readonly attempt: number;
  readonly isLastTarget: boolean;
  /** True once the caller has received text or a part of a tool call. */
  readonly isVisible: boolean;
  readonly fallbackOn: readonly ModelErrorCode[];
  readonly chance: number;
}

export type NextStep =
  | { readonly do: 'again'; readonly delayMs: number }
  | { readonly do: 'next' }
  | { readonly do: 'stop' };

/** The wait before the next attempt: between half and all of the back-off, but at least as long as the provider requests. Pure. */
function delayOf({ attempt, error, chance }: FailedTry, { firstDelayMs, maxDelayMs }: RetryPolicy): number {
  const backOff = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1));
  return Math.max(error.retryAfterMs ?? 0, Math.round(backOff * (0.5 + chance / 2)));
}

export function decideNext(failed: FailedTry, policy: RetryPolicy): NextStep {
  const { error, attempt, isLastTarget, isVisible, fallbackOn } = failed;
  if (isVisible || error.code === 'cancelled') return { do: 'stop' };
  const delayMs = delayOf(failed, policy);
  if (MODEL_ERRORS[error.code].retry && attempt < policy.attempts && delayMs <= policy.maxDelayMs)
    return { do: 'again', delayMs };
  return !isLastTarget && fallbackOn.includes(error.code) ? { do: 'next' } : { do: 'stop' };
}
