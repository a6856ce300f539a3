import type { ColumnType, Generated } from 'kysely';

type Defaulted<T> = ColumnType<T, T | undefined, T>;

/** Tables of what programs in pods try to reach. */
export interface EgressTables {
  egress_attempt: {
    attempt_id: string;
    agent_id: string;
    agent_uid: string;
    cycle: number;
    run_id: Defaulted<string | null>;
    call_id: Defaulted<string | null>;
    run_witnessed: boolean;
    call_witnessed: boolean;
    form: 'tunnel' | 'inspect' | 'plain';
    host: string;
    port: number;
    method: Defaulted<string | null>;
    path: Defaulted<string | null>;
    refused: Defaulted<string | null>;
    begun_at: Date;
    kept_at: Generated<Date>;
    ended_at: Defaulted<Date | null>;
    address: Defaulted<string | null>;
    status: Defaulted<number | null>;
    sent_bytes: Defaulted<number | null>;
    received_bytes: Defaulted<number | null>;
    duration_ms: Defaulted<number | null>;
    cut_off: Defaulted<string | null>;
  };
  egress_hour: { agent_uid: string; hour: Date; attempts: number };
}
