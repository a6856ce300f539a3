import type { ModelOutcome } from '@hamlet/contract';
import type { ColumnType, Generated } from 'kysely';

type Defaulted<T> = ColumnType<T, T | undefined, T>;

/** The tables of migrations/0010_gateway.sql. */
export interface GatewayTables {
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
