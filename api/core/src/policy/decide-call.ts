import type { PermissionAnswer, PermissionState, PermissionWhy } from '@hamlet/contract';
import { sameBytes } from '../sealed-log/hashing.ts';
import type { Judged } from './judged.ts';

/** Tool, and the SHA-256 of its canonical arguments. */
interface CallIdentity {
  readonly tool: string;
  readonly argumentsHash: Uint8Array;
}

export interface PermissionFacts extends CallIdentity {
  readonly state: PermissionState;
  readonly why: PermissionWhy;
  readonly policyVersion: string;
  readonly answer: PermissionAnswer | null;
  /** True if it has expired. */
  readonly isOver: boolean;
}

export interface CallFacts {
  readonly call: CallIdentity;
  /** The effect that an earlier request with the same call id started. */
  readonly effect: (CallIdentity & { readonly state: 'begun' | 'settled' }) | null;
  /** The newest permission of the call. */
  readonly permission: PermissionFacts | null;
  readonly judged: Judged;
  readonly policyVersion: string;
  readonly cancelRequested: boolean;
  /** True if the panic button has stopped the run's calls. */
  readonly stopped: boolean;
}

export type CallDenial =
  | 'run_cancelled'
  | 'run_stopped'
  | 'policy_denied'
  | 'person_denied'
  | 'permission_expired'
  | 'permission_stale';

/** `resume`: continues an effect that an earlier request started, with the same key. `perform`: uses up the permission in `consumes`. */
export type CallDecision =
  | { readonly kind: 'replay' | 'resume' }
  | { readonly kind: 'perform'; readonly consumes: boolean }
  | { readonly kind: 'denied'; readonly code: CallDenial }
  | {
      readonly kind: 'refused';
      readonly reason: 'call_diverged' | 'arguments_differ' | 'permission_needed' | 'permission_pending';
    };

function isSameCall(a: CallIdentity, b: CallIdentity): boolean {
  return a.tool === b.tool && sameBytes(a.argumentsHash, b.argumentsHash);
}

/**
 * Decides about a call that a run asks the API to perform. A started effect is never performed as a different call, and
 * a permission is valid only for the call, arguments and policy that a person saw. Pure.
 */
export function decideCall(facts: CallFacts): CallDecision {
  const { call, effect, permission, judged, cancelRequested, stopped } = facts;
  if (effect !== null) {
    if (!isSameCall(effect, call)) return { kind: 'refused', reason: 'call_diverged' };
    return { kind: effect.state === 'settled' ? 'replay' : 'resume' };
  }
  if (cancelRequested) return { kind: 'denied', code: 'run_cancelled' };
  if (stopped) return { kind: 'denied', code: 'run_stopped' };
  if (judged.verdict === 'deny') return { kind: 'denied', code: 'policy_denied' };
  if (permission !== null) return byPermission(facts, permission);
  return judged.verdict === 'allow'
    ? { kind: 'perform', consumes: false }
    : { kind: 'refused', reason: 'permission_needed' };
}

/** Decisions for the states of a permission that do not allow the call. */
const NOT_ALLOWED: Readonly<Record<Exclude<PermissionState, 'pending' | 'allowed'>, CallDecision>> = {
  denied: { kind: 'denied', code: 'person_denied' },
  expired: { kind: 'denied', code: 'permission_expired' },
  withdrawn: { kind: 'denied', code: 'permission_stale' },
  consumed: { kind: 'refused', reason: 'permission_needed' },
};

/** An existing permission decides, even if the rules would allow the call without one. */
function byPermission({ call, judged, policyVersion }: CallFacts, permission: PermissionFacts): CallDecision {
  if (!isSameCall(permission, call)) return { kind: 'refused', reason: 'arguments_differ' };
  const { state, isOver, why } = permission;
  if (state !== 'pending' && state !== 'allowed') return NOT_ALLOWED[state];
  if (isOver) return NOT_ALLOWED.expired;
  if (state === 'pending') return { kind: 'refused', reason: 'permission_pending' };
  const isStale = why === 'policy' && judged.verdict === 'ask' && permission.policyVersion !== policyVersion;
  return isStale ? NOT_ALLOWED.withdrawn : { kind: 'perform', consumes: true };
}

/** `same`: the permission already has this answer. `stale`: the rules have changed, and the request is withdrawn. */
type AnswerDecision =
  | { readonly kind: 'take' | 'same' | 'stale' }
  | { readonly kind: 'refused'; readonly reason: 'permission_answered' | 'permission_expired' | 'permission_stale' };

/** True if an answer fits the question: `happened` and `repeat` need a call with an unknown outcome. */
export function answerFits(why: PermissionWhy, answer: PermissionAnswer): boolean {
  return (why === 'unknown') === (answer === 'happened' || answer === 'repeat');
}

/** Decides about a person's answer after {@link answerFits}. The first answer counts. Pure. */
export function decideAnswer(
  permission: Omit<PermissionFacts, keyof CallIdentity>,
  asked: { readonly answer: PermissionAnswer; readonly policyVersion: string },
): AnswerDecision {
  const { state, why, answer, isOver, policyVersion } = permission;
  if (answer !== null)
    return answer === asked.answer ? { kind: 'same' } : { kind: 'refused', reason: 'permission_answered' };
  if (state === 'withdrawn') return { kind: 'refused', reason: 'permission_stale' };
  if (state === 'expired' || isOver) return { kind: 'refused', reason: 'permission_expired' };
  const isStale = why === 'policy' && asked.answer === 'allow' && policyVersion !== asked.policyVersion;
  return { kind: isStale ? 'stale' : 'take' };
}
