import type { RunKind, RunState } from '@hamlet/contract';
import type { ColumnType, Generated } from 'kysely';

type Defaulted<T> = ColumnType<T, T | undefined, T>;
type Json = ColumnType<unknown, string, never>;

/** The tables of migrations/0004_runs.sql and 0024_run_claims.sql. */
export interface RunTables {
  run: {
    run_id: Generated<string>;
    agent_id: string;
    agent_uid: string;
    kind: RunKind;
    state: Defaulted<RunState>;
    prompt: string;
    created_at: Generated<Date>;
    created_by_role: string;
    created_by_id: string;
    schedule_uid: string | null;
    schedule_name: string | null;
    slot: Date | null;
    attempt: Defaulted<number>;
    cycle: Defaulted<number | null>;
    started_at: Defaulted<Date | null>;
    ended_at: Defaulted<Date | null>;
    summary: Defaulted<string | null>;
    error_code: Defaulted<string | null>;
    error_message: Defaulted<string | null>;
    cancel_requested_at: Defaulted<Date | null>;
    lease_until: Defaulted<Date | null>;
    events: Defaulted<number>;
  };
  run_event: { run_id: string; number: number; event: string; at: Generated<Date>; detail: Json };
  schedule_state: {
    schedule_uid: string;
    schedule_name: string;
    history_limit: number;
    last_slot: Defaulted<Date | null>;
    last_run_id: Defaulted<string | null>;
    last_run_at: Defaulted<Date | null>;
    pruned_through: Generated<Date>;
    fired_at: Defaulted<Date>;
  };
  firing: {
    firing_id: Generated<string>;
    schedule_uid: string;
    slot: Date;
    fired_at: Generated<Date>;
    lease_uid: string;
    transitions: number;
    made_up: boolean;
    runs: Json;
  };
  operator_fence: {
    lease_uid: string;
    transitions: number;
    seen_at: Defaulted<Date>;
    superseded_at: Defaulted<Date | null>;
  };
}
