/** Tokens cost money: the meter holds the price of the tier and posts the used part once. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { findCircumstance, inTransaction, lockTiers, noteUnpostedUsage, takeMeasure } from '@hamlet/store';
import { createTokenMeter, unpostedUsageJob, type Reservation } from './token-meter.ts';
import { startPursePlay } from '../testing/purse-play.ts';

let agents = 0;
let agent = '';

const play = await startPursePlay();
const meter = createTokenMeter({ db: play.db, source: play.source, tiers: play.tiers });
beforeEach(async () => {
  agent = `agent-${(agents += 1)}`;
  await play.give(agent, '6');
  play.says(agent);
});

const LASTS_MS = 60_000;
const CIRCUMSTANCE = { podUid: 'pod-1', runId: '0199aaaa-0000-7000-8000-000000000001', traceparent: '00-2' };

async function reserve(tokens: number, key = 'call-1'): Promise<Reservation> {
  const outcome = await meter.reserve({
    agentId: agent,
    model: 'small',
    tokens,
    key,
    lastsMs: LASTS_MS,
    circumstance: CIRCUMSTANCE,
  });
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.reason);
  return outcome.data;
}

async function reasonOf(tokens: number, key = 'call-1'): Promise<string | null> {
  const outcome = await meter.reserve({
    agentId: agent,
    model: 'small',
    tokens,
    key,
    lastsMs: LASTS_MS,
    circumstance: {},
  });
  return outcome.ok ? null : outcome.reason;
}

test('the meter holds the most that a call can cost, posts the used part and frees the rest', async () => {
  const reservation = await reserve(100_000);
  assert.deepEqual(await play.funds(agent), ['6', '0.2']);
  assert.deepEqual(await findCircumstance(play.db, reservation.holdId ?? ''), {
    relatedPostId: null,
    imageDigest: null,
    ...CIRCUMSTANCE,
  });
  await meter.settle(reservation, 30_001);
  assert.deepEqual(await play.funds(agent), ['5.939998', '0']);
  await meter.settle(reservation, 30_001);
  await meter.release(reservation);
  assert.deepEqual(await play.funds(agent), ['5.939998', '0'], 'a second settle posts nothing');
});

test('an unused call costs nothing; a call that used more than it reserved costs the held amount', async () => {
  const unused = await reserve(1_000, 'unused');
  await meter.release(unused);
  await meter.settle(unused, 900);
  const none = await reserve(1_000, 'none');
  await meter.settle(none, 0);
  assert.deepEqual(await play.funds(agent), ['6', '0']);
  await meter.settle(await reserve(1_000, 'more'), 50_000);
  assert.deepEqual(await play.funds(agent), ['5.998', '0']);
});

test('the same key returns the same reservation, and is refused with another number of tokens', async () => {
  const [first, again] = [await reserve(1_000), await reserve(1_000)];
  assert.equal(first.holdId, again.holdId);
  assert.equal(await reasonOf(2_000), 'idempotency_key_reused');
  assert.deepEqual(await play.funds(agent), ['6', '0.002']);
});

test('a free tier holds nothing', async () => {
  play.says(agent, { tier: 'tier-0' });
  const reservation = await reserve(1_000_000);
  assert.equal(reservation.holdId, null);
  await meter.settle(reservation, 1_000_000);
  await meter.release(reservation);
  assert.deepEqual(await play.funds(agent), ['6', '0']);
});

test('an agent without money, without a tier or under a measure gets no tokens', async () => {
  assert.equal(await reasonOf(10_000_000), 'insufficient_funds');
  play.says(agent, { tier: 'gone' });
  assert.equal(await reasonOf(1), 'unavailable');
  play.says(agent);
  await inTransaction(play.db, async (tx) => {
    await lockTiers(tx, [agent]);
    await takeMeasure(
      tx,
      { agentId: agent, measure: 'freeze', reason: 'test', expiresAt: null },
      { role: 'admin', id: 'test' },
    );
  });
  assert.equal(await reasonOf(1), 'agent_frozen');
  play.agents.delete(agent);
  assert.equal(await reasonOf(1), 'no_such_agent');
  await assert.rejects(
    meter.reserve({ agentId: agent, model: 'small', tokens: 1.5, key: 'k', lastsMs: LASTS_MS, circumstance: {} }),
    RangeError,
  );
});

test('concurrent calls hold no more than the balance', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      meter.reserve({
        agentId: agent,
        model: 'small',
        tokens: 500_000,
        key: `call-${index}`,
        lastsMs: LASTS_MS,
        circumstance: {},
      }),
    ),
  );
  const held = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.data] : []));
  assert.equal(held.length, 6, 'the balance covers 6 calls of 1 aiDollar each');
  assert.deepEqual(await play.funds(agent), ['6', '6']);
  await Promise.all(
    held.flatMap((reservation) => [
      meter.settle(reservation, 500_000),
      meter.release(reservation),
      meter.settle(reservation, 500_000),
    ]),
  );
  const [balance, left] = await play.funds(agent);
  assert.equal(left, '0');
  assert.ok(Number.isInteger(Number(balance)) && Number(balance) <= 6);
});

test('an agent loses its tier in the posting that brings its balance below the threshold', async () => {
  await inTransaction(play.db, (tx) => play.tiers.recompute(tx, [agent]));
  await meter.settle(await reserve(2_000_000), 2_000_000);
  const [{ balanceTier } = { balanceTier: null }] = await inTransaction(play.db, (tx) => lockTiers(tx, [agent]));
  assert.deepEqual([await play.funds(agent), balanceTier], [['2', '0'], 'tier-0']);
});

test('usage that cannot be posted is logged and stays; the usage after it is posted', async () => {
  const logged: string[] = [];
  const job = unpostedUsageJob({
    db: play.db,
    tiers: play.tiers,
    freeze: { frozen: false },
    log: (_level, message) => void logged.push(message),
  });
  const usageOf = async (key: string, amount: bigint) => {
    const { holdId } = await reserve(1_000, key);
    assert.ok(holdId !== null);
    return { holdId, agentId: agent, amount, key: `usage ${key}`, about: {} };
  };
  const [tooMuch, right] = [await usageOf('first', 1_000_000_000n), await usageOf('second', 1_000n)];
  await noteUnpostedUsage(play.db, tooMuch);
  await noteUnpostedUsage(play.db, right);
  await job.run();
  assert.deepEqual(await play.funds(agent), ['5.999', '0.002']);
  assert.deepEqual(logged, ['the usage of a hold was not posted; the API retries it']);
  const left = await play.db.selectFrom('unposted_usage').select('hold_id').execute();
  assert.deepEqual(left, [{ hold_id: tooMuch.holdId }]);
});
