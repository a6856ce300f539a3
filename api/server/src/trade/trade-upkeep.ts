import { announceBoosts, checkTrade, dueAuctions, inTransaction, readBoosts, takePurchaseNews } from '@hamlet/store';
import type { Db, Tx } from '@hamlet/store';
import type { Registry } from 'prom-client';
import type { SnapshotPart } from '../agents/internal-feed.ts';
import { recordAct } from '../audit/record-act.ts';
import type { FreezeBoard } from '../freeze/freeze-board.ts';
import type { Log } from '../service/log.ts';
import { registerGauges } from '../service/metrics.ts';
import { repeat } from '../service/repeat.ts';
import { settleAuction } from './end-auction.ts';
import { actOfVillage } from './trade-ports.ts';
import type { TradePorts } from './trade-ports.ts';

const EVERY_MS = 1_000;
const CHECK_EVERY_MS = 300_000;
const AT_ONCE = 200;
/** What of a purchase the operator acts on. */
const OF_PODS: ReadonlySet<string> = new Set(['gpu', 'priority']);

/** What the operator's stream begins with: what agents have bought that lasts. */
export async function boostsPart(tx: Tx): ReturnType<SnapshotPart> {
  return (await readBoosts(tx)).map((data) => ({ event: 'boost', data }));
}

/** Tells the operator of what begins and ends; returns how much of it there was. */
export async function tellPurchaseNews(tx: Tx): Promise<number> {
  const news = await takePurchaseNews(tx, AT_ONCE);
  const act = actOfVillage();
  for (const { purchaseId, agentId, kind, told } of news) {
    if (told === 'ended')
      await recordAct(tx, act, { action: 'purchase.end', object: agentId, detail: { purchase_id: purchaseId, kind } });
  }
  await announceBoosts(tx, [...new Set(news.flatMap(({ agentId, kind }) => (OF_PODS.has(kind) ? [agentId] : [])))]);
  return news.length;
}

/** Settles every auction whose bidding is over, each in a transaction of its own: one that fails keeps none of the others. */
export async function settleDue(
  db: Db,
  ports: Pick<TradePorts, 'standing'>,
  failed: (error: unknown) => void,
): Promise<void> {
  for (const auctionId of await dueAuctions(db, AT_ONCE))
    await inTransaction(db, (tx) => settleAuction(tx, auctionId, ports)).catch(failed);
}

export interface TradeUpkeepPorts extends Pick<TradePorts, 'standing'> {
  readonly db: Db;
  readonly freeze: Pick<FreezeBoard, 'frozen'>;
  readonly registry: Registry;
  readonly log: Log;
}

/**
 * Settles auctions, tells the operator of what has begun and ended, and proves purchases against the ledger. Limits and windows end by the
 * clock without it. Replicas share the work. Returns what stops it.
 */
export function startTradeUpkeep({ db, standing, freeze, registry, log }: TradeUpkeepPorts): () => Promise<void> {
  let broken = 0;
  const failed = (error: unknown): void => log('warn', 'auctions and purchases wait for the database', { error });

  async function look(): Promise<void> {
    if (!freeze.frozen) await settleDue(db, { standing }, failed);
    for (let told = AT_ONCE; told === AT_ONCE;) told = await inTransaction(db, tellPurchaseNews);
  }

  async function prove(): Promise<void> {
    const rules = (await checkTrade(db)).filter((rule) => rule.broken > 0);
    broken = rules.length;
    for (const rule of rules) log('error', 'purchases and the ledger differ: stop selling and look', { ...rule });
  }

  registerGauges(registry, {
    hamlet_trade_broken_rules: {
      help: 'Rules of docs/ECONOMY.md that purchases and auctions broke when they were proven last; must stay 0',
      read: () => broken,
    },
  });
  const stops = [repeat(EVERY_MS, look, failed), repeat(CHECK_EVERY_MS, prove, failed)];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
