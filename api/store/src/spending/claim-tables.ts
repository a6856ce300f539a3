import type { ClaimRefusal } from '@hamlet/contract';

/** The tables and views of migrations/0007_spending.sql. */
export interface SpendingTables {
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
}
