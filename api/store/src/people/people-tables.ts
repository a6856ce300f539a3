import type { AccountRole, SignInBy } from '@hamlet/contract';
import type { ColumnType, Generated } from 'kysely';

type Defaulted<T> = ColumnType<T, T | undefined, T>;
type Json = ColumnType<unknown, string, string>;

/** The tables of people in migrations/0001, 0011 and 0015. */
export interface PeopleTables {
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
  account_ban: {
    ban_id: Generated<string>;
    account_id: string;
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
}
