import type { EgressWrite } from '@hamlet/contract';
import type { EgressDenial } from '@hamlet/core/egress';
import { readBars, readFreeze, type RunRow, type Tx } from '@hamlet/store';
import type { Village } from '../../village.ts';
import { deniedBy, isLive, NO_RUN, OTHER_RULES, STOPPED } from './write-facts.ts';

/** Refuses if the agent is stopped, its egress rules have changed, or its run is not in progress. No permission overrides that. */
export async function refuseLife(
  tx: Tx,
  village: Pick<Village, 'source' | 'egressOf'>,
  { body, run }: { readonly body: Pick<EgressWrite, 'uid' | 'cycle' | 'rules'>; readonly run: RunRow },
): Promise<EgressDenial | null> {
  const record = village.source.list().find(({ uid }) => uid === body.uid);
  if (record === undefined || record.deleting) return STOPPED;
  // Reads the table, because the cached standings lag: a write could leave after the API confirmed a measure.
  const bars = await readBars(tx, [record.agentId]);
  if (bars.size > 0 || (await readFreeze(tx)) !== null) return STOPPED;
  if (run.cancelRequestedAt !== null || run.state === 'cancelled') return deniedBy('run_cancelled', null);
  if (run.stoppedCode !== null) return deniedBy('run_stopped', null);
  if (!isLive(run, body)) return NO_RUN;
  return village.egressOf(record.agentId).version === body.rules ? null : OTHER_RULES;
}
