import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PriceList } from '@hamlet/contract';
import type { FreeDevices } from '@hamlet/core';
import { inTransaction, readAuctions } from '@hamlet/store';
import { dataOf } from '@hamlet/test/env/client';
import { startBalanceTierSync } from '../../standing/balance-tier-sync.ts';
import { Play, testVillage } from '../../testing/test-village.ts';
import { staticSource } from '../testing/market.ts';
import { settleAuction } from './end-auction.ts';

const HOUR_MS = 3_600_000;
const at = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

test('an auction waits while its GPU is lost, and is sold once it is back', async (context) => {
  const village = await testVillage();
  const replica = await village.startReplica();
  const play = new Play(replica.peopleUrl);
  const db = village.openDb();
  await play.admin.rewardAgent({ agent_id: 'bob', amount: 50, reason: 'for bids' });
  const times = { starts_at: at(2), ends_at: at(3), closes_at: at(1) };
  const auction = await play.admin.openAuction({ lane: 'gpu-0', ...times, reserve: '2', note: 'one hour' });
  dataOf(await play.as('bob').raw.placeBid({ auction_id: auction.auction_id, amount: '3' }));
  // A job of the replica would settle the auction.
  await replica.stop();
  await db
    .withTables<{ auction: { closes_at: Date } }>()
    .updateTable('auction')
    .set({ closes_at: (build) => build.fn<Date>('clock_timestamp') })
    .execute();

  const source = staticSource(['bob']);
  const clock = { log: () => undefined, monotonicMs: () => performance.now() };
  const tiers = startBalanceTierSync({ db, source, ...clock });
  context.after(() => tiers.stop());
  const settled = (free: readonly FreeDevices[]) => {
    const ports = { tiers, prices: PriceList.parse({}), gpus: { free: async () => free } };
    return inTransaction(db, (tx) => settleAuction(tx, auction.auction_id, ports));
  };
  assert.equal(await settled([]), null);
  assert.equal((await readAuctions(db, 'open', { before: null, limit: 2 })).auctions.length, 1);
  assert.equal(await settled([{ 'nvidia.com/gpu': 1 }]), 'sold');
});
