import { refused } from '../http/outcome.ts';
import type { Refused } from '../http/outcome.ts';
import type { SpecWriter } from './spec-writer.ts';

const NO_CLUSTER = 'These are the samples of the tree. Run a cluster (make up) to write tiers';

/** Without a cluster nobody judges and keeps what is written. */
export function createSamplesWriter(): SpecWriter {
  const write = async (): Promise<Refused> => refused('cluster_needed', NO_CLUSTER);
  return { putEntitlement: write, putAgentEntitlement: write };
}
