import type { EgressPermitted, EgressRefusalCode } from '@hamlet/contract';
import type { CallDenial } from '@hamlet/core';
import { deny, type EgressDenial } from '@hamlet/core/egress';
import type { HeldPermission, RunRow } from '@hamlet/store';

const DENIALS: Readonly<Record<CallDenial, readonly [EgressRefusalCode, string]>> = {
  run_cancelled: ['egress_run_cancelled', 'the run is being cancelled, so it can send nothing more'],
  run_stopped: ['egress_run_cancelled', 'the village has stopped the calls of the run, so it can send nothing more'],
  policy_denied: ['egress_policy_denied', 'the rules of the village forbid this write'],
  person_denied: ['egress_person_denied', 'a person denied this write'],
  permission_expired: ['egress_permission_expired', 'no person answered in time; ask again when a person is available'],
  permission_stale: [
    'egress_permission_stale',
    'the rules changed or the run ended after a person was asked; try again',
  ],
};

export function deniedBy(code: CallDenial, words: string | null): EgressDenial {
  const [refusal, text] = DENIALS[code];
  return deny(refusal, words === null || words === '' ? text : `${text}: ${words}`);
}

export function wordsOf(code: CallDenial, rule: string, permission: HeldPermission | null): string | null {
  if (code === 'person_denied') return permission?.reply ?? null;
  return code === 'policy_denied' ? rule : null;
}

export const NO_RUN = deny(
  'egress_no_run',
  'a program can write to other hosts only during a run, in which a person permits it; this program belongs to no run',
);
export const STOPPED = deny('egress_agent_stopped', 'an admin has stopped this agent or frozen the village');
export const OTHER_RULES = deny('egress_permission_stale', 'the egress rules of this agent have changed; try again');
export const WITHDRAWN = deny('egress_write_withdrawn', 'the program stopped waiting for this write');
export const OTHER_WRITE = deny('egress_write_differs', 'the id belongs to another write; send this one again');
export const TOO_MANY = deny(
  'egress_too_many',
  'this run has asked for too many writes, or too many wait for a person; wait for the answers',
);

export const waiting = ({ permissionId }: { readonly permissionId: string }): EgressPermitted => ({
  verdict: 'wait',
  permission_id: permissionId,
});

/** True if the agent of this life works on the run now. Pure. */
export function isLive(run: RunRow, { uid, cycle }: { readonly uid: string; readonly cycle: number }): boolean {
  if (run.agentUid !== uid || run.cycle !== cycle) return false;
  return run.state === 'running' || run.state === 'waiting_permission';
}
