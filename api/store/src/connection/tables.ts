import type { AccountRole, Measure, RunKind, RunState, SafeMode, SignInBy } from '@hamlet/contract';
import type { ColumnType, Generated } from 'kysely';
import type { EgressTables } from './egress-tables.ts';
import type { MoneyTables } from './money-tables.ts';
import type { PermissionTables } from './permission-tables.ts';
import type { SessionTables } from './session-tables.ts';

type Defaulted<T> = ColumnType<T, T | undefined, T>;
type Json = ColumnType<unknown, string, string>;

/** Columns of a measure or ban, which an admin takes and lifts. */
interface Restriction {
  reason: string;
  by_role: string;
  by_id: string;
  since: Generated<Date>;
  expires_at: Date | null;
  lifted_at: Defaulted<Date | null>;
  lifted_by_role: Defaulted<string | null>;
  lifted_by_id: Defaulted<string | null>;
  lift_reason: Defaulted<string | null>;
}

/** int8 is read as a number: counters and ticks stay below 2^53. */
export interface Tables extends EgressTables, MoneyTables, PermissionTables, SessionTables {
  village: { genesis: Date; seed: number; stream_epoch: string };
  world_lease: { epoch: number; holder: string; until: Date };
  world_event: {
    seq: number;
    tick: number;
    epoch: number;
    kind: string;
    agent_id: string | null;
    event: Json;
    committed_at: Generated<Date>;
  };
  world_move_chunk: {
    seq_from: number;
    seq_to: number;
    tick_from: number;
    tick_to: number;
    epoch: number;
    count: number;
    packed: Buffer;
  };
  world_snapshot: {
    seq: number;
    tick: number;
    epoch: number;
    state_hash: string;
    state: Buffer;
    taken_at: Generated<Date>;
  };
  world_map: { version: string; since_seq: number; plan: string; kept_at: Generated<Date> };
  agent_life: {
    uid: string;
    agent_id: string;
    home: string | null;
    cycle: Defaulted<number>;
    opened_at: Generated<Date>;
    closed_at: Defaulted<Date | null>;
  };
  agent_session: {
    token_hash: Buffer;
    jti: string;
    agent_id: string;
    uid: string;
    cycle: number;
    issued_at: Generated<Date>;
    expires_at: Date;
    revoked_at: Defaulted<Date | null>;
    pod_uid: Defaulted<string | null>;
  };
  agent_presence: {
    agent_id: string;
    uid: string;
    cycle: number;
    connected: boolean;
    replica_id: string;
    stream_no: number;
    last_seen: Defaulted<Date>;
  };
  api_replica: { replica_id: string; seen_at: Defaulted<Date> };
  internal_event: {
    id: Generated<number>;
    event: 'standing' | 'presence' | 'schedule' | 'boost' | 'claim' | 'village' | 'capabilities';
    data: Json;
    at: Generated<Date>;
  };
  agent_report: {
    agent_id: string;
    uid: string;
    cycle: number;
    capabilities: ColumnType<unknown, string, string>;
    skills: ColumnType<unknown, string, string>;
    reported_at: Defaulted<Date>;
  };
  standing_measure: Restriction & { measure_id: Generated<string>; agent_id: string; measure: Measure };
  agent_tier: { agent_id: string; balance_tier: string | null; since: Defaulted<Date> };
  sample_agent: {
    agent_id: string;
    uid: string;
    power: Defaulted<'Awake' | 'Asleep'>;
    rebooted_at: Defaulted<Date | null>;
    cycle: Defaulted<number>;
    created_at: Generated<Date>;
  };
  api_key: {
    key_hash: Buffer;
    name: string;
    role: 'member' | 'admin' | 'agent' | 'operator' | 'broker';
    agent_id: string | null;
    created_at: Generated<Date>;
    revoked_at: Defaulted<Date | null>;
  };
  idempotency_key: {
    actor: string;
    key: string;
    request_hash: Buffer;
    status: number;
    answer: Json;
    created_at: Generated<Date>;
  };
  turn: { turn_id: string; agent_id: string; uid: string; cycle: number; recorded_at: Generated<Date>; turn: Json };
  audit: {
    audit_id: string;
    at: Generated<Date>;
    actor_role: string;
    actor_id: string;
    action: string;
    object: string;
    detail: Json;
    request_id: string;
    traceparent: string | null;
  };
  run: {
    run_id: Generated<string>;
    agent_id: string;
    /** The life that must work on the run. */
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
    /** Null if no agent works on the run. */
    lease_until: Defaulted<Date | null>;
    events: Defaulted<number>;
    session_id: Defaulted<string | null>;
    runtime: Defaulted<string | null>;
    model: Defaulted<string | null>;
    progress_attempt: Defaulted<number>;
    budgets: ColumnType<unknown, string | null | undefined, string>;
    steps: Defaulted<number>;
    tokens: Defaulted<number>;
    cost_micros: Defaulted<number>;
    claimed_tokens: Defaulted<number>;
    claimed_cost_micros: Defaulted<number>;
    worked_ms: Generated<number>;
    working_since: Generated<Date | null>;
    unsettled: Defaulted<string[]>;
    /** The run and the call for which a worker works; null for another run. */
    parent_run_id: Defaulted<string | null>;
    parent_call_id: Defaulted<string | null>;
    role: Defaulted<string | null>;
    depth: Defaulted<number>;
    /** Lists of tools that a worker has: of its own call, and of those of its parents. */
    tool_lists: ColumnType<readonly (readonly string[])[] | null, string | null | undefined, never>;
    safe_mode: ColumnType<SafeMode | null, SafeMode | null | undefined, never>;
  };
  /** Claims of an agent, as it sent them. */
  journal_entry: {
    agent_uid: string;
    seq: number;
    run_id: string;
    event: Json;
    refs: string[];
    bytes: number;
    stored_at: Generated<Date>;
  };
  /** A text of a journal; null once it was forgotten. */
  payload: {
    agent_uid: string;
    ref: string;
    run_id: string;
    text: string | null;
    bytes: number;
    forgotten_at: Defaulted<Date | null>;
  };
  journal_size: { agent_uid: string; bytes: number };
  run_event: {
    run_id: string;
    number: number;
    event: string;
    at: Generated<Date>;
    detail: Json;
    /** False if the agent claims it. */
    witnessed: Generated<boolean>;
  };
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
  account: {
    account_id: string;
    name: string;
    role: AccountRole;
    password_hash: string | null;
    created_at: Generated<Date>;
    issuer: Defaulted<string | null>;
    subject: Defaulted<string | null>;
    disabled_at: Defaulted<Date | null>;
  };
  account_session: {
    id_hash: Buffer;
    account_id: string;
    created_at: Generated<Date>;
    seen_at: Defaulted<Date>;
    expires_at: Date;
    session_id: Generated<string>;
    signed_in_by: SignInBy;
    address: string | null;
    user_agent: string | null;
  };
  account_code: { account_id: string; code_hash: Buffer; created_at: Defaulted<Date>; expires_at: Date };
  account_ban: Restriction & { ban_id: Generated<string>; account_id: string };
  account_hand: {
    hand_id: Generated<string>;
    account_id: string;
    act: 'made' | 'reset';
    by_role: string;
    by_id: string;
    at: Generated<Date>;
  };
  oidc_attempt: {
    id_hash: Buffer;
    state: string;
    nonce: string;
    code_verifier: string;
    return_to: string;
    expires_at: Date;
  };
  resource_seen: {
    uid: string;
    kind: 'Agent' | 'Entitlement' | 'Schedule';
    name: string;
    generation: number;
    own_generations: Defaulted<number[]>;
    fields: Json;
    fields_generation: number;
    gone_at: Defaulted<Date | null>;
  };
  schedule_author: { schedule_uid: string; account_id: string };
  cluster_write: {
    write_id: Generated<string>;
    actor: string;
    key: string;
    request_hash: Buffer;
    kind: 'Agent' | 'Entitlement' | 'Schedule';
    name: string;
    act: Json;
    begun_at: Generated<Date>;
    leased_until: Date;
  };
}
