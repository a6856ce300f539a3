import type { ClaimRefusal, CreditState, DifferenceKind, ModelOutcome } from '@hamlet/contract';
import type { ColumnType, Generated } from 'kysely';

type Defaulted<T> = ColumnType<T, T | undefined, T>;
type Json<T> = ColumnType<T | null, string | null, string | null>;
/** An int8 that may exceed 2^53; it is read and written as text. */
type Money = ColumnType<string, string, string>;

/** A payment as a notification reports it. The amount is in millionths of the currency. */
export interface ToldPayment {
  readonly amount: string;
  readonly currency: string;
  readonly customId: string | null;
}
export interface KnownPayment extends ToldPayment {
  readonly status: string;
}

export interface MoneyTables {
  deposit: {
    deposit_id: Generated<string>;
    provider: string;
    transaction_id: string;
    agent_id: string;
    amount: Money;
    net: Defaulted<string>;
    state: CreditState;
    origin: 'manual' | 'webhook';
    note: string;
    requested_role: string;
    requested_by: string;
    requested_at: Generated<Date>;
    decided_role: Defaulted<string | null>;
    decided_by: Defaulted<string | null>;
    decided_at: Defaulted<Date | null>;
    decision_reason: Defaulted<string | null>;
    transfer_id: Defaulted<string | null>;
    leg: Defaulted<number>;
    changes: Defaulted<number>;
    changed_at: Defaulted<Date>;
  };
  paypal_delivery: {
    delivery_id: Generated<string>;
    digest: Buffer;
    transmission_id: string;
    transmission_time: string;
    cert_url: string;
    signature: string;
    raw: ColumnType<Buffer, Buffer, Buffer | null>;
    known: Defaulted<boolean>;
    received_at: Generated<Date>;
    state: Defaulted<'waiting' | 'verified' | 'refused'>;
    why: Defaulted<string | null>;
    attempts: Defaulted<number>;
    due_at: Defaulted<Date>;
  };
  paypal_event: {
    event_id: string;
    event_type: string;
    capture_id: string | null;
    delivery_id: string;
    verified_at: Generated<Date>;
  };
  paypal_capture: {
    capture_id: string;
    first_told_at: Generated<Date>;
    told: Defaulted<number>;
    looked: Defaulted<number>;
    due_at: Defaulted<Date | null>;
    claim: Defaulted<string | null>;
    attempts: Defaulted<number>;
    why: Defaulted<string | null>;
    hint: Json<ToldPayment>;
    truth: Json<KnownPayment>;
  };
  paypal_taking: {
    kind: 'refund' | 'reversal' | 'dispute';
    taking_id: string;
    capture_id: string;
    told_at: Generated<Date>;
  };
  provider_transaction: {
    provider: string;
    transaction_id: string;
    amount: string;
    currency: string;
    at: Date;
    reference_id: string | null;
    agent_id: string | null;
    seen_at: Defaulted<Date>;
  };
  provider_statement: {
    statement_id: Generated<string>;
    provider: string;
    compared_from: Date;
    compared_through: Date;
    compared_at: Generated<Date>;
    lines: number;
    by_id: string;
  };
  difference: {
    difference_id: Generated<string>;
    kind: DifferenceKind;
    provider: string;
    transaction_id: string;
    owner: string;
    found_at: Generated<Date>;
    settled_at: Defaulted<Date | null>;
    explanation: Defaulted<string | null>;
    explained_by: Defaulted<string | null>;
  };
  village_freeze: {
    freeze_id: Generated<string>;
    reason: string;
    by_role: string;
    by_id: string;
    since: Date;
    lifted_at: Date | null;
    lifted_by_role: string | null;
    lifted_by_id: string | null;
    lift_reason: string | null;
  };
  unposted_usage: {
    hold_id: string;
    agent_id: string;
    amount: string;
    key: string;
    about: ColumnType<unknown, string, string>;
    used_at: Generated<Date>;
  };
  compute_claim: {
    agent_id: string;
    uid: string;
    version: number;
    cycle: number;
    asked_at: Date;
    tier: string | null;
    hold_id: string | null;
    per_hour: number | null;
    amount: number | null;
    until: Date | null;
    told: boolean;
    used_ms: number;
    running_since: Date | null;
    pod_uid: string | null;
    image_digest: string | null;
    traceparent: string | null;
    refused_tier: string | null;
    refused_reason: ClaimRefusal | null;
    payable_tier: string | null;
  };
  compute_claim_fault: { fault: 'hold_without_claim' | 'claim_without_hold'; hold_id: string; agent_id: string };
  model_hour: { agent_id: string; began_at: Date; used: number };
  model_request: {
    request_id: Generated<string>;
    agent_id: string;
    agent_uid: string;
    pod_uid: string | null;
    run_id: string | null;
    tier: string;
    model: string;
    provider: string;
    outcome: Defaulted<ModelOutcome>;
    reserved_tokens: number;
    prompt_tokens: Defaulted<number>;
    completion_tokens: Defaulted<number>;
    hour_began_at: Date;
    started_at: Generated<Date>;
    ended_at: Defaulted<Date | null>;
  };
}
