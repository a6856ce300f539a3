/** The test kills processes and connections during auctions: no window is sold twice, no money stays held, and the books agree. */
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocal, type LocalProcess } from '@hamlet/dev';
import {
  findAgentAccount,
  inTransaction,
  insertAuction,
  isConnectionError,
  openAgentAccount,
  openDatabase,
  postTransfer,
  readAuctions,
  readBalances,
  readPurchases,
  takeWindow,
  villageAccount,
} from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { FULL_RUN, Seeded } from '@hamlet/test/env/seeded';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startBalanceTierSync } from '../../standing/balance-tier-sync.ts';
import { BUYERS, PRICES, PURSE_MICRO, someWindow, staticSource } from '../testing/market.ts';
import { UNSEEN_GPUS } from './gpu-supply.ts';
import { settleDue } from './trade-upkeep.ts';
import { assertBooks } from '../testing/purse-play.ts';

const AUCTIONS = FULL_RUN ? 10_000 : 160;
const SEED = Number(process.env['HAMLET_TEST_SEED'] ?? 8);
const WORKERS = 2;
/** Slots of each lane: about twice as many as the auctions need, so that many windows overlap and each auction finds a free one. */
const SLOTS = Math.ceil(AUCTIONS / 4);
const OPEN_MAX = 60;
/** From this number of open auctions on, the next one waits until there are more bids than auctions. */
const OPEN_ENOUGH = 12;
const PAGE = 100;
/** Limit of every wait in this test; not a measurement. */
const GIVE_UP_MS = performance.now() + (FULL_RUN ? 7_200_000 : 900_000);
const WORKER = resolve(import.meta.dirname, '../testing/market-worker.ts');

const faults: string[] = [];

const postgres = untilEnd(await migratedPostgres());
const db = untilEnd(openDatabase({ url: postgres.appUrl, poolSize: 4, onError: () => undefined }));
const owner = untilEnd(openDatabase({ url: postgres.url(), poolSize: 2, onError: () => undefined }));
for (const agentId of BUYERS) await inTransaction(db, (tx) => fund(tx, agentId));

async function fund(tx: Parameters<Parameters<typeof inTransaction>[1]>[0], agentId: string): Promise<void> {
  await openAgentAccount(tx, agentId);
  const account = await findAgentAccount(tx, agentId);
  assert.ok(account !== null);
  const payer = await villageAccount(tx, 'treasury');
  await postTransfer(tx, {
    payer,
    payee: account.accountId,
    amount: PURSE_MICRO,
    key: `purse of ${agentId}`,
    reason: 'reward',
    source: 'test',
    note: '',
    actor: { role: 'system', id: 'test' },
  });
}

/** Repeats `work` until no killed connection interrupts it. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > GIVE_UP_MS) throw error;
      await sleep(5);
    }
  }
}

function startWorker(seed: number, fromMs: number): Promise<LocalProcess> {
  let ready = false;
  return startLocal({
    file: process.execPath,
    args: [WORKER, postgres.appUrl, String(seed), String(fromMs), String(SLOTS)],
    options: {},
    ready: () => Promise.resolve(ready),
    onOutput: (text) => {
      ready ||= text.includes('ready');
      if (text.includes('FAULT')) faults.push(text);
    },
  });
}

/** Opens one auction that closes within two seconds. Returns whether its window was free. */
async function openOne(chances: Seeded, fromMs: number): Promise<boolean> {
  const { lane, startsAt, endsAt } = someWindow(chances, { fromMs, slots: SLOTS });
  const closesAt = new Date(Date.now() + chances.between(100, 2_000));
  return insist(() =>
    inTransaction(db, async (tx) => {
      const windowId = await takeWindow(tx, {
        devices: { lane, resourceName: 'nvidia.com/gpu', count: 1 },
        startsAt,
        endsAt,
        agentId: null,
      });
      if (windowId === null) return false;
      await insertAuction(tx, { windowId, reserve: 1_000_000n, closesAt, note: '', by: { role: 'admin', id: 'test' } });
      return true;
    }),
  );
}

async function bidsPlaced(): Promise<number> {
  const { bids } = await owner
    .withTables<{ bid: { bid_id: string } }>()
    .selectFrom('bid')
    .select((build) => build.fn.countAll<number>().as('bids'))
    .executeTakeFirstOrThrow();
  return bids;
}

/** Opens all auctions, at the pace of the bidders. Returns the number of windows that were taken already. */
async function openAuctions(chances: Seeded, fromMs: number): Promise<number> {
  let taken = 0;
  for (let opened = 0; opened < AUCTIONS;) {
    if (performance.now() > GIVE_UP_MS) throw new Error(`only ${opened} auctions were opened in time`);
    const open = (await insist(() => readAuctions(db, 'open', { before: null, limit: PAGE }))).auctions.length;
    if (open >= OPEN_MAX || (open >= OPEN_ENOUGH && (await bidsPlaced()) < opened)) await sleep(20);
    else if (await openOne(chances, fromMs)) opened += 1;
    else taken += 1;
  }
  return taken;
}

/** Ends a random connection of the API's role, at any point of its work. */
async function killConnection(chances: Seeded): Promise<boolean> {
  const activity = owner.withTables<{
    pg_stat_activity: { pid: number; usename: string | null; datname: string | null };
  }>();
  const backends = await activity
    .selectFrom('pg_stat_activity')
    .select('pid')
    .where('usename', '=', 'app')
    .where(({ eb, fn }) => eb('datname', '=', fn<string>('current_database')))
    .execute();
  const pid = chances.one(backends)?.pid;
  if (pid === undefined) return false;
  await activity
    .selectFrom('pg_stat_activity')
    .select((build) => build.fn<boolean>('pg_terminate_backend', ['pid']).as('ended'))
    .where('pid', '=', pid)
    .execute();
  return true;
}

/** Kills random connections and processes until `run.over`. Returns the number of each. */
async function killAround(
  chances: Seeded,
  run: { readonly workers: LocalProcess[]; readonly fromMs: number; over: boolean },
): Promise<{ connections: number; processes: number }> {
  const killed = { connections: 0, processes: 0 };
  while (!run.over) {
    await sleep(chances.between(20, 250));
    if (chances.chance(0.97)) {
      killed.connections += (await killConnection(chances)) ? 1 : 0;
      continue;
    }
    const index = Math.floor(chances.between(0, run.workers.length));
    await run.workers[index]?.stop('SIGKILL');
    killed.processes += 1;
    run.workers[index] = await startWorker(SEED + 100 + killed.processes, run.fromMs);
  }
  return killed;
}

async function tally(): Promise<Record<string, number>> {
  const ends: Record<string, number> = {};
  for (let before: string | null = null; ;) {
    const page: Awaited<ReturnType<typeof readAuctions>> = await readAuctions(db, undefined, { before, limit: PAGE });
    for (const { state } of page.auctions) ends[state] = (ends[state] ?? 0) + 1;
    before = page.next;
    if (before === null) return ends;
  }
}

test(`${AUCTIONS} auctions with kills, seed ${SEED}: no window is sold twice, no hold is left`, async (context) => {
  const chances = new Seeded(SEED);
  const fromMs = Date.now();
  const run = {
    workers: await Promise.all(Array.from({ length: WORKERS }, (_, index) => startWorker(SEED + index, fromMs))),
    fromMs,
    over: false,
  };
  const killing = killAround(new Seeded(SEED + 1_000), run);
  const taken = await openAuctions(chances, fromMs).finally(() => {
    run.over = true;
  });
  const killed = await killing;
  await Promise.all(run.workers.map((worker) => worker.stop('SIGKILL')));

  // Settles the auctions that the killed workers have left open.
  const tiers = startBalanceTierSync({
    db,
    source: staticSource(BUYERS),
    log: () => undefined,
    monotonicMs: () => performance.now(),
  });
  const failures: unknown[] = [];
  for (let open = 1; open > 0 && performance.now() < GIVE_UP_MS; await sleep(50)) {
    // The last kill may have hit a connection of this pool, which notices it only now.
    await insist(() =>
      settleDue(
        db,
        { tiers, prices: PRICES, gpus: UNSEEN_GPUS },
        (error) => void (isConnectionError(error) || failures.push(error)),
      ),
    );
    open = (await insist(() => readAuctions(db, 'open', { before: null, limit: PAGE }))).auctions.length;
  }
  await tiers.stop();

  const ends = await tally();
  const { purchases } = await readPurchases(
    db,
    { agentId: undefined, state: undefined },
    { before: null, limit: 100_000 },
  );
  const bought = purchases.filter(({ auctionId }) => auctionId === null).length;
  context.diagnostic(JSON.stringify({ ends, bought, windowsTaken: taken, killed }));
  assert.deepEqual([faults, failures], [[], []], 'only kills caused failures');
  await assertBooks(db);
  const held = await owner
    .withTables<{ 'ledger.open_hold': { hold_id: string } }>()
    .selectFrom('ledger.open_hold')
    .select('hold_id')
    .execute();
  assert.deepEqual(held, [], 'no hold is left without its bid');
  assert.ok(
    Object.values(ends).reduce((sum, count) => sum + count, 0) >= AUCTIONS,
    'one more if a kill hid the answer of an opened auction',
  );
  assert.equal(purchases.length, (ends['sold'] ?? 0) + bought);
  const spent = purchases.reduce((sum, { price }) => sum + price, 0n);
  const left = [...(await readBalances(db, BUYERS)).values()].reduce((sum, balance) => sum + balance, 0n);
  assert.equal(left + spent, PURSE_MICRO * BigInt(BUYERS.length), 'all missing money was spent on windows, once');
  assert.ok(
    (ends['sold'] ?? 0) > AUCTIONS / 10 && killed.connections > 0 && killed.processes > 0,
    JSON.stringify({ ends, killed }),
  );
});
