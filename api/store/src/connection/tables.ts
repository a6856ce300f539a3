import type { Measure } from '@hamlet/contract';
import type { PeopleTables } from '../people/people-tables.ts';
import type { FreezeTables } from '../freeze/freeze-tables.ts';
import type { GatewayTables } from '../gateway/gateway-tables.ts';
import type { PaymentTables } from '../payments/payment-tables.ts';
import type { RunTables } from '../runs/run-tables.ts';
import type { SpendingTables } from '../spending/claim-tables.ts';
import type { ColumnType, Generated } from 'kysely';

type Defaulted<T> = ColumnType<T, T | undefined, T>;
type Json = ColumnType<unknown, string, string>;

/** The tables of migrations/, as kysely sees them. Counters and ticks are int8, read as numbers (they stay below 2^53). */
export interface Tables extends GatewayTables, PeopleTables, RunTables, PaymentTables, SpendingTables, FreezeTables {
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
    event: 'standing' | 'presence' | 'schedule' | 'boost' | 'claim' | 'village';
    data: Json;
    at: Generated<Date>;
  };
  standing_measure: {
    measure_id: Generated<string>;
    agent_id: string;
    measure: Measure;
    reason: string;
    by_role: string;
    by_id: string;
    since: Generated<Date>;
    expires_at: Date | null;
    lifted_at: Defaulted<Date | null>;
    lifted_by_role: Defaulted<string | null>;
    lifted_by_id: Defaulted<string | null>;
    lift_reason: Defaulted<string | null>;
  };
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
    role: 'member' | 'admin' | 'agent' | 'operator';
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
}
