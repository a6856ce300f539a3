import { announceBoosts, checkTrade, dueAuctions, inTransaction, readBoosts, takePurchaseNews } from '@hamlet/store';
import type { Db, Tx } from '@hamlet/store';
import type { SnapshotPart } from '../../operator/internal-feed.ts';
import { actingAs, recordAct } from '../../audit/record-act.ts';
import type { FreezeCache } from '../../freeze/freeze-cache.ts';
import { job, sharedJob, type Job } from '../../service/jobs.ts';
import { registerGauges } from '../../service/metrics.ts';
import { z } from 'zod';
import { settleAuction, type SettlePorts } from './end-auction.ts';
import type { Services } from '../../service/services.ts';

const EVERY_MS = 1_000;
const CHECK_EVERY_MS = 300_000;
const AT_ONCE = 200;
/** Kinds of purchases that change pods, so that the operator must know them. */
const OF_PODS: ReadonlySet<string> = new Set(['gpu', 'priority']);

export async function boostsPart(tx: Tx): ReturnType<SnapshotPart> {
  return (await readBoosts(tx)).map((data) => ({ event: 'boost', data }));
}

async function announcePurchases(tx: Tx): Promise<number> {
  const news = await takePurchaseNews(tx, AT_ONCE);
  const act = actingAs('system', 'auctioneer');
  for (const { purchaseId, agentId, kind, told } of news) {
    if (told === 'ended')
      await recordAct(tx, act, { action: 'purchase.end', object: agentId, detail: { purchase_id: purchaseId, kind } });
  }
  await announceBoosts(tx, [...new Set(news.flatMap(({ agentId, kind }) => (OF_PODS.has(kind) ? [agentId] : [])))]);
  return news.length;
}

/**
 * Settles every auction whose bidding has ended, each in its own transaction, so that a failure affects one auction.
 */
export async function settleDue(db: Db, ports: SettlePorts, failed: (error: unknown) => void): Promise<void> {
  for (const auctionId of await dueAuctions(db, AT_ONCE))
    await inTransaction(db, (tx) => settleAuction(tx, auctionId, ports)).catch(failed);
}

interface TradeUpkeepPorts extends Pick<Services, 'db' | 'registry' | 'log'>, SettlePorts {
  readonly freeze: Pick<FreezeCache, 'frozen'>;
}

/** Bought limits end on time even without these jobs. */
export function tradeJobs({ db, freeze, registry, log, ...ports }: TradeUpkeepPorts): readonly Job[] {
  let broken = 0;
  const failed = (error: unknown): void => log('warn', 'an auction was not settled; the API retries', { error });

  async function settle(): Promise<void> {
    if (!freeze.frozen) await settleDue(db, ports, failed);
    for (let sent = AT_ONCE; sent === AT_ONCE;) sent = await inTransaction(db, announcePurchases);
  }

  async function prove(): Promise<number> {
    const rules = (await checkTrade(db)).filter((rule) => rule.broken > 0);
    for (const rule of rules)
      log('error', 'purchases and the ledger differ: freeze the village, then see the runbook', { ...rule });
    return rules.length;
  }

  registerGauges(registry, {
    hamlet_trade_broken_rules: {
      help: 'Rules of docs/ECONOMY.md that purchases and auctions violated in the last proof; must stay 0',
      read: () => broken,
    },
  });
  return [
    job({ name: 'trade', everyMs: EVERY_MS, run: settle }),
    sharedJob({
      name: 'trade-proof',
      everyMs: CHECK_EVERY_MS,
      result: z.int(),
      run: prove,
      receive: (result) => {
        broken = result;
      },
    }),
  ];
}
