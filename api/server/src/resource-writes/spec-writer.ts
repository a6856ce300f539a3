import type { AgentEntitlementBody, EntitlementBody } from '@hamlet/contract';
import type { AgentRecord, EntitlementRecord, OnConflict } from '../agents/agent-source.ts';
import { refused, type Outcome, type Refused } from '../http/outcome.ts';

export interface Written<R> {
  readonly record: R;
  readonly uid: string;
  readonly generation: number;
  readonly changed: boolean;
}

export interface SpecWriter {
  /**
   * Creates a tier, or changes it to match the body.
   * @param options.ifMatch etag that the tier must have
   * @param options.resumed true if an earlier attempt may have written it: a matching tier then needs no etag
   */
  putEntitlement(
    name: string,
    body: EntitlementBody,
    options: { readonly onConflict: OnConflict; readonly ifMatch: string | undefined; readonly resumed: boolean },
  ): Promise<Outcome<Written<EntitlementRecord>>>;
  putAgentEntitlement(
    agentId: string,
    body: AgentEntitlementBody,
    onConflict: OnConflict,
  ): Promise<Outcome<Written<AgentRecord>>>;
}

const NO_CLUSTER = 'These tiers are sample files and cannot be written: run a cluster (make up)';

/** Refuses writes: without a cluster there is no API server to validate and store them. */
export function createSamplesWriter(): SpecWriter {
  const write = async (): Promise<Refused> => refused('cluster_needed', NO_CLUSTER);
  return { putEntitlement: write, putAgentEntitlement: write };
}
