import { RUNS_WAITING_MAX } from '@hamlet/contract';
import { countWaiting, readBars, type RunRow, type Tx } from '@hamlet/store';
import type { Actor } from '../../http/actor.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { barsRuns } from '../work-limits.ts';
import type { Village } from '../../village.ts';

export const isOwn = (actor: Actor, run: Pick<RunRow, 'createdByRole' | 'createdById'>): boolean =>
  run.createdByRole === actor.role && run.createdById === actor.id;

/** The life of an agent that may get another run. Locks the agent's queue. */
export async function lifeForRun(
  tx: Tx,
  { source }: Pick<Village, 'source'>,
  agentId: string,
): Promise<Outcome<{ readonly uid: string }>> {
  const record = source.get(agentId);
  if (record === null || record.deleting) return refused('no_such_agent');
  const bar = (await readBars(tx, [agentId])).get(agentId);
  if (barsRuns(bar)) return refused('agent_barred', `A measure of an admin bars ${agentId}: ${bar?.measure}`);
  const waiting = (await countWaiting(tx, [agentId])).get(agentId) ?? 0;
  if (waiting >= RUNS_WAITING_MAX)
    return refused('run_queue_full', `${waiting} runs already wait for ${agentId}: cancel one`);
  return accepted({ uid: record.uid });
}
