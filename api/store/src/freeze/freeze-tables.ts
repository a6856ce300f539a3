import type { ColumnType, Generated } from 'kysely';

/** The tables of migrations/0017_freeze.sql. */
export interface FreezeTables {
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
}
