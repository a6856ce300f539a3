import { REFUSALS, type CallOutcome } from '@hamlet/contract';
import type { HeldPermission } from '@hamlet/store';
import type { z } from 'zod';
import { shorten, type CallDenial } from '@hamlet/core';
import type { Refused } from '../http/outcome.ts';

const ISSUES_SHOWN = 10;
const TEXT_MAX_CHARS = 4_000;

export const DENIALS: Readonly<Record<CallDenial, string>> = {
  run_cancelled: 'The run is being cancelled, so no call can start.',
  run_stopped:
    'The village has stopped the calls of this run. Answer in words now: say what you found, what is done and what is not.',
  policy_denied: 'The rules of the village forbid this call.',
  person_denied: 'A person denied this call.',
  permission_expired: 'No person answered in time.',
  permission_stale: 'The rules changed after a person was asked.',
};

export function deniedOutcome(code: string, text: string): CallOutcome {
  return { kind: 'denied', code, text: shorten(text, TEXT_MAX_CHARS) };
}

export function failedOutcome({ reason, detail }: Refused): CallOutcome {
  return { kind: 'failed', code: reason, text: shorten(detail ?? REFUSALS[reason].title, TEXT_MAX_CHARS) };
}

/** The part of an outcome that lists show, which excludes its text. */
export function outcomeView(stored: unknown): Pick<CallOutcome, 'kind' | 'code'> | null {
  const outcome = stored as CallOutcome | null;
  return outcome === null
    ? null
    : { kind: outcome.kind, ...(outcome.code === undefined ? {} : { code: outcome.code }) };
}

export function invalidOutcome(issues: readonly Pick<z.core.$ZodIssue, 'path' | 'message'>[]): CallOutcome {
  const lines = issues
    .slice(0, ISSUES_SHOWN)
    .map(({ path, message }) => `${path.length === 0 ? 'arguments' : path.map(String).join('.')}: ${message}`);
  const text = lines.length === 0 ? 'The arguments are not valid JSON: write JSON.' : lines.join('\n');
  return { kind: 'failed', code: 'invalid_input', text: shorten(text, TEXT_MAX_CHARS) };
}

export function replyOutcome(permission: HeldPermission | null): CallOutcome | null {
  if (permission === null || permission.why !== 'question') return null;
  const { answeredByName: name, reply } = permission;
  return { kind: 'ok', text: reply ?? '', data: { answered_by: name } };
}
