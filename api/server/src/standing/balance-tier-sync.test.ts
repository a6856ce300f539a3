/** Tiers by balance: written with the posting, updated when thresholds change, and right after concurrent postings. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, test } from 'node:test';
import { EntitlementSpec } from '@hamlet/contract';
import { drawBelow } from '@hamlet/core';
import {
  findAgentAccount,
  inTransaction,
  internalEventRange,
  openAgentAccount,
  openDatabase,
  postTransfer,
  readAudit,
  readInternalEvents,
  readStandings,
  readTiers,
  villageAccount,
} from '@hamlet/store';
import type { Tx } from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { untilEnd } from '@hamlet/test/env/at-end';
import type { AgentSource } from '../agents/agent-source.ts';
import { eventually } from '../testing/test-village.ts';
import { startBalanceTierSync, type BalanceTierSync } from './balance-tier-sync.ts';

const AIDOLLAR = 1_000_000n;
const POSTINGS = 60;
const SEED = 7;

let sync: BalanceTierSync;
let thresholds: Readonly<Record<string, string>> = {};
let ready = true;
/** Accounts outlive a test, so each test has its own agents. */
let agents: readonly [string, string, string] = ['', '', ''];
let tests = 0;

const source = {
  get ready() {
    return ready;
  },
  list: () => agents.map((agentId) => ({ agentId })),
  entitlements: () =>
    Object.entries(thresholds).map(([name, minBalance], rank) => ({
      name,
      status: {},
      spec: EntitlementSpec.parse({
        rank,
        minBalance,
        limits: { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 },
      }),
    })),
} as unknown as AgentSource;

async function move(tx: Tx, agentId: string, aiDollars: number): Promise<void> {
  const account = (await findAgentAccount(tx, agentId))?.accountId ?? 0;
  const treasury = await villageAccount(tx, 'treasury');
  const [payer, payee] = aiDollars > 0 ? [treasury, account] : [account, treasury];
  const amount = BigInt(Math.abs(aiDollars)) * AIDOLLAR;
  const posted = await postTransfer(tx, {
    payer,
    payee,
    amount,
    key: randomUUID(),
    reason: aiDollars > 0 ? 'reward' : 'penalty',
    source: 'test',
    note: 'a test',
    actor: { role: 'admin', id: 'test' },
  });
  assert.ok(posted.ok || posted.reason === 'insufficient_funds', JSON.stringify(posted));
  await sync.recompute(tx, [agentId]);
}

const post = (agentId: string, aiDollars: number) => inTransaction(db, (tx) => move(tx, agentId, aiDollars));

async function tiers(): Promise<readonly (string | null | undefined)[]> {
  const kept = new Map((await readTiers(db, agents)).map(({ agentId, balanceTier }) => [agentId, balanceTier]));
  return agents.map((agentId) => kept.get(agentId));
}

const postgres = untilEnd(await migratedPostgres());
const db = untilEnd(openDatabase({ url: postgres.appUrl, poolSize: 12, onError: () => undefined }));
beforeEach(async () => {
  tests += 1;
  agents = [`ada-${tests}`, `bob-${tests}`, `cleo-${tests}`];
  [ready, thresholds] = [true, { 'tier-0': '0', 'tier-1': '10', 'tier-2': '100' }];
  for (const agentId of agents) await inTransaction(db, (tx) => openAgentAccount(tx, agentId));
  sync = startBalanceTierSync({
    db,
    source,
    log: () => undefined,
    monotonicMs: () => performance.now(),
  });
  await eventually('the lowest tier for agents without money', async () =>
    (await tiers()).every((tier) => tier === 'tier-0'),
  );
});
afterEach(() => sync.stop());

/** Standing events of an agent for the operator, in order. */
async function reported(agentId: string): Promise<readonly (string | null)[]> {
  const all = await readInternalEvents(db, 0, 10_000);
  return all.flatMap(({ data }) => {
    const { agent_id, balance_tier } = data as { agent_id: string; balance_tier: string | null };
    return agent_id === agentId ? [balance_tier] : [];
  });
}

/** Audit lines of an agent's tier, oldest first. */
async function audited(agentId: string): Promise<readonly (readonly unknown[])[]> {
  const acts = await readAudit(db, `tier ${agentId}`, 10);
  return acts.toReversed().map(({ action, detail }) => {
    const { from, to, balance } = detail as { from: string | null; to: string | null; balance: string };
    return [action, from, to, balance];
  });
}

test('a posting over a threshold writes the tier and the event in its transaction; a rollback removes both', async () => {
  const [ada] = agents;
  await post(ada, 12);
  assert.deepEqual(await tiers(), ['tier-1', 'tier-0', 'tier-0']);
  assert.deepEqual(await reported(ada), ['tier-0', 'tier-1']);
  assert.deepEqual(await audited(ada), [
    ['tier.balance', null, 'tier-0', '0'],
    ['tier.balance', 'tier-0', 'tier-1', '12'],
  ]);
  const failing = inTransaction(db, async (tx) => {
    await move(tx, ada, 500);
    throw new Error('the transaction fails after the posting');
  });
  await assert.rejects(failing, /fails after the posting/);
  assert.equal((await audited(ada)).length, 2);
  assert.deepEqual(await tiers(), ['tier-1', 'tier-0', 'tier-0']);
  assert.deepEqual(await reported(ada), ['tier-0', 'tier-1']);
});

test('an agent keeps its tier down to nine tenths of the threshold; a posting without a tier change sends no event', async () => {
  const [ada] = agents;
  await post(ada, 10);
  const { last } = await internalEventRange(db);
  await post(ada, -1);
  assert.equal((await tiers())[0], 'tier-1');
  assert.equal((await internalEventRange(db)).last, last);
  await post(ada, -1);
  assert.deepEqual(await reported(ada), ['tier-0', 'tier-1', 'tier-0']);
});

test('a changed threshold changes the tiers of all agents, without a posting', async () => {
  for (const agentId of agents) await post(agentId, 50);
  assert.deepEqual(await tiers(), ['tier-1', 'tier-1', 'tier-1']);
  thresholds = { 'tier-0': '0', 'tier-1': '10', 'tier-2': '40' };
  await eventually('the new tier', async () => (await tiers()).every((tier) => tier === 'tier-2'));
  thresholds = { 'tier-0': '0' };
  await eventually('the only remaining tier', async () => (await tiers()).every((tier) => tier === 'tier-0'));
});

test('no agent loses its tier before the Entitlements are read', async () => {
  const [ada] = agents;
  await post(ada, 12);
  [ready, thresholds] = [false, {}];
  await post(ada, 1);
  assert.equal((await tiers())[0], 'tier-1');
});

test('after concurrent postings and full comparisons each tier matches its balance', async () => {
  const work = Array.from({ length: POSTINGS }, (_, index) => {
    if (index % 10 === 0) return inTransaction(db, (tx) => sync.recompute(tx, agents));
    return post(agents[index % agents.length] ?? '', drawBelow(80, SEED, index) - 20 || 1);
  });
  await Promise.all(work);
  const kept = await tiers();
  await inTransaction(db, (tx) => sync.recompute(tx, agents));
  assert.deepEqual(await tiers(), kept, 'a further comparison changes nothing');
  for (const { agent_id: agentId, balance_tier: tier } of await readStandings(db, agents))
    assert.equal((await reported(agentId)).at(-1), tier, 'the last event has the right tier');
});
