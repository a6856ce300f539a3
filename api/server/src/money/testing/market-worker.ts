/**
 * Bids, buys, cancels and settles in a separate process until the test kills it.
 * usage: market-worker.ts POSTGRES_URL SEED FROM_MS SLOTS
 */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { dueAuctions, inTransaction, isConnectionError, lockAuction, openDatabase, readAuctions } from '@hamlet/store';
import { Seeded } from '@hamlet/test/env/seeded';
import type { AgentActor } from '../../http/actor.ts';
import { startBalanceTierSync } from '../../standing/balance-tier-sync.ts';
import { buyCompute } from '../market/buy-compute.ts';
import { cancelAuction, settleAuction } from '../market/end-auction.ts';
import { UNSEEN_GPUS } from '../market/gpu-supply.ts';
import { placeBid } from '../market/place-bid.ts';
import { actingAs } from '../../audit/record-act.ts';
import { BUYERS, PRICES, someWindow, staticSource } from './market.ts';

const AT_ONCE = 6;
/** Number of open auctions, newest first, on which the worker bids. */
const OPEN_SEEN = 12;
const SETTLED_AT_ONCE = 20;
const MICRO = 1_000_000;

const [url = '', seed = '0', fromMs = '0', slots = '1'] = process.argv.slice(2);
const chances = new Seeded(Number(seed));
const db = openDatabase({ url, poolSize: AT_ONCE, onError: () => undefined });
const source = staticSource(BUYERS);
const tiers = startBalanceTierSync({
  db,
  source,
  log: () => undefined,
  monotonicMs: () => performance.now(),
});

function asked(agentId: string): {
  readonly actor: AgentActor;
  readonly requestId: string;
  readonly traceparent: string;
  readonly idempotencyKey: string;
} {
  const actor: AgentActor = {
    role: 'agent',
    id: `agent ${agentId}`,
    agentId,
    uid: `uid of ${agentId}`,
    podUid: null,
    cycle: 1,
    stale: false,
  };
  return {
    actor,
    requestId: randomUUID(),
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    idempotencyKey: randomUUID(),
  };
}

async function someAuction(): Promise<string | undefined> {
  const { auctions } = await readAuctions(db, 'open', { before: null, limit: OPEN_SEEN });
  return chances.one(auctions)?.auctionId;
}

async function bid(agentId: string): Promise<void> {
  const auctionId = await someAuction();
  if (auctionId === undefined) return;
  const amount = BigInt(Math.ceil(chances.between(0.5, 20) * MICRO));
  await inTransaction(db, (tx) => placeBid(tx, { ...asked(agentId), auctionId, amount }));
}

async function buy(agentId: string): Promise<void> {
  const { lane, startsAt, endsAt } = someWindow(chances, { fromMs: Number(fromMs), slots: Number(slots) });
  const item = { kind: 'gpu' as const, lane, starts_at: startsAt.toISOString() };
  const seconds = (endsAt.getTime() - startsAt.getTime()) / 1_000;
  await inTransaction(db, (tx) =>
    buyCompute(
      tx,
      { ...asked(agentId), agentId, item, seconds, maxPrice: null },
      { source, tiers, prices: PRICES, gpus: UNSEEN_GPUS },
    ),
  );
}

async function cancel(): Promise<void> {
  const auctionId = await someAuction();
  if (auctionId === undefined) return;
  await inTransaction(db, async (tx) => {
    const auction = await lockAuction(tx, auctionId, 'end');
    if (auction?.state === 'open')
      await cancelAuction(tx, auction, { reason: 'a whim', act: actingAs('system', 'auctioneer') });
  });
}

async function settle(): Promise<void> {
  for (const auctionId of await dueAuctions(db, SETTLED_AT_ONCE))
    await inTransaction(db, (tx) => settleAuction(tx, auctionId, { tiers, prices: PRICES, gpus: UNSEEN_GPUS }));
}

async function act(): Promise<void> {
  const chance = chances.next();
  const agentId = chances.one(BUYERS) ?? '';
  if (chance < 0.85) return bid(agentId);
  if (chance < 0.9) return buy(agentId);
  return chance < 0.905 ? cancel() : settle();
}

async function work(): Promise<void> {
  for (;;) {
    await act().catch((error: unknown) => {
      // The test expects killed connections. Any other error is a fault, which the test reads from this output.
      if (!isConnectionError(error)) console.error(`FAULT ${error instanceof Error ? error.stack : String(error)}`);
    });
  }
}

console.log('ready');
await Promise.all(Array.from({ length: AT_ONCE }, work));
