import type { PermissionAnswer, PermissionState, PermissionWhy, TaintMark, TaintSource } from '@hamlet/contract';
import type { ColumnType, Generated } from 'kysely';

type Defaulted<T> = ColumnType<T, T | undefined, T>;

/** Tables of permissions, of the effects of calls, of skills, and of what agents change about themselves. */
export interface PermissionTables {
  permission: {
    permission_id: Generated<string>;
    run_id: string;
    agent_id: string;
    request: string;
    call_id: string;
    tool: string;
    arguments: string;
    arguments_hash: Buffer;
    why: PermissionWhy;
    reason: string;
    question: string | null;
    /** Micro-aiDollars as decimal digits. */
    amount: ColumnType<string | null, string | null, never>;
    policy_version: string;
    state: Defaulted<PermissionState>;
    asked_at: Generated<Date>;
    expires_at: Date;
    answered_at: Defaulted<Date | null>;
    answered_by_role: Defaulted<string | null>;
    answered_by_id: Defaulted<string | null>;
    answered_by_name: Defaulted<string | null>;
    answer: Defaulted<PermissionAnswer | null>;
    reply: Defaulted<string | null>;
    rule_id: Defaulted<string | null>;
    /** Marks of the run when it asked; null if it had none. */
    taint: ColumnType<readonly TaintMark[] | null, string | null | undefined, never>;
  };
  run_taint: {
    run_id: string;
    source: TaintSource;
    detail: string;
    call_id: string | null;
    from_run_id: string | null;
    at: Generated<Date>;
  };
  memory_taint: {
    agent_uid: string;
    memory_id: string;
    run_id: string;
    at: Generated<Date>;
    used_at: Generated<Date>;
  };
  allow_rule: {
    rule_id: Generated<string>;
    agent_id: string;
    agent_uid: string;
    tool: string;
    allow_key: Defaulted<string | null>;
    tainted: Defaulted<boolean>;
    session_id: string | null;
    permission_id: string;
    created_by_role: 'member' | 'admin';
    created_by_id: string;
    created_by_name: string;
    created_at: Generated<Date>;
    used: Defaulted<number>;
    last_used_at: Defaulted<Date | null>;
    revoked_at: Defaulted<Date | null>;
    revoked_by_role: Defaulted<string | null>;
    revoked_by_id: Defaulted<string | null>;
  };
  personality: {
    agent_uid: string;
    version: number;
    agent_id: string;
    text: string;
    reason: string;
    restores: number | null;
    by_role: string;
    by_id: string;
    at: Generated<Date>;
  };
  script: {
    agent_uid: string;
    name: string;
    agent_id: string;
    created_at: Generated<Date>;
    runs: Defaulted<string>;
    last_run_id: Defaulted<string | null>;
    last_call_id: Defaulted<string | null>;
    last_run_at: Defaulted<Date | null>;
  };
  script_version: {
    agent_uid: string;
    name: string;
    version: string;
    language: string;
    description: string;
    source: string;
    parameters: ColumnType<unknown, string, string>;
    tainted: boolean;
    adopted_from: string | null;
    artifact_id: string | null;
    run_id: string | null;
    call_id: string | null;
    saved_at: Generated<Date>;
  };
  hands_call: {
    hands_call_id: Generated<string>;
    run_id: string;
    call_id: string;
    agent_id: string;
    tool: string;
    boot: string;
    slot: boolean;
    arguments: string;
    begun_at: Generated<Date>;
    ended_at: Defaulted<Date | null>;
    report: ColumnType<unknown, string | undefined, string>;
    cycle: Defaulted<number | null>;
    attempt: Defaulted<number | null>;
  };
  run_skill_set: {
    run_id: string;
    agent_id: string;
    skills: ColumnType<unknown, string, never>;
    sha256: Buffer;
    pinned_at: Generated<Date>;
  };
  skill_load: {
    run_id: string;
    name: string;
    call_id: string;
    why: string;
    loaded_at: Generated<Date>;
  };
  effect: {
    run_id: string;
    call_id: string;
    agent_id: string;
    agent_uid: string;
    cycle: number;
    attempt: number;
    tool: string;
    arguments_hash: Buffer;
    policy_version: string;
    permission_id: string | null;
    state: 'begun' | 'settled';
    begun_at: Generated<Date>;
    settled_at: Defaulted<Date | null>;
    outcome: ColumnType<unknown, string | null, string>;
  };
}
