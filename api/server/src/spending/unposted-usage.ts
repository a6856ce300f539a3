import { inTransaction, isVillageFrozenError, resolveHold, takeUnpostedUsage } from '@hamlet/store';
import type { Db, Tx, UnpostedUsage } from '@hamlet/store';
import type { FreezeCache } from '../freeze/freeze-cache.ts';
import { job } from '../service/jobs.ts';
import type { Job } from '../service/jobs.ts';
import type { StandingKeeper } from '../standing/standing-keeper.ts';

const EVERY_MS = 2_000;
/** Notes that one look posts. */
const AT_ONCE = 200;
const ALREADY_OVER: ReadonlySet<string> = new Set(['hold_resolved', 'hold_expired']);

/** Posts what was used of a hold, or voids it where nothing was. A hold that is over already changes nothing. */
export async function postUsage(
  tx: Tx,
  { agentId, holdId, amount, key, about }: UnpostedUsage,
  standing: Pick<StandingKeeper, 'recompute'>,
): Promise<void> {
  const how = amount === 0n ? ({ outcome: 'voided' } as const) : ({ outcome: 'posted', amount } as const);
  const outcome = await resolveHold(tx, { holdId, ...how, key, about, actor: { role: 'agent', id: agentId } });
  if (!outcome.ok && !ALREADY_OVER.has(outcome.reason))
    throw new Error(`tokens of ${agentId} were not settled: ${outcome.reason}`);
  if (outcome.ok && outcome.transferId !== null && !outcome.replayed) await standing.recompute(tx, [agentId]);
}

export interface UnpostedUsagePorts {
  readonly db: Db;
  readonly standing: Pick<StandingKeeper, 'recompute'>;
  readonly freeze: Pick<FreezeCache, 'frozen'>;
}

/** Posts the usage that was recorded while the village was frozen, after the freeze. */
export function unpostedUsageJob({ db, standing, freeze }: UnpostedUsagePorts): Job {
  async function postOne(tx: Tx): Promise<boolean> {
    const usage = await takeUnpostedUsage(tx);
    if (usage !== null) await postUsage(tx, usage, standing);
    return usage !== null;
  }

  async function look(): Promise<void> {
    if (freeze.frozen) return;
    try {
      for (let posted = 0; posted < AT_ONCE && (await inTransaction(db, postOne));) posted += 1;
    } catch (error) {
      if (!isVillageFrozenError(error)) throw error;
    }
  }
  return job({ name: 'unposted-usage', everyMs: EVERY_MS, run: look });
}
