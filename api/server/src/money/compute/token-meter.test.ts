/** Tokens are money: held at the price of the tier, posted by what was used, once. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { checkLedger, findCircumstance, inTransaction, lockTiers, takeMeasure } from '@hamlet/store';
import { createTokenMeter } from './token-meter.ts';
import type { Reservation, TokenMeter } from './token-meter.ts';
import { startPursePlay } from '../testing/purse-play.ts';
import type { PursePlay } from '../testing/purse-play.ts';

let play: PursePlay;
let meter: TokenMeter;
let agents = 0;
let agent = '';

before(async () => {
  play = await startPursePlay();
  meter = createTokenMeter({ db: play.db, source: play.source, tiers: play.tiers });
});
after(async () => {
  assert.deepEqual(
    (await checkLedger(play.db)).filter(({ broken }) => broken > 0),
    [],
  );
  await play.remove();
});
beforeEach(async () => {
  agent = `agent-${(agents += 1)}`;
  await play.give(agent, '6');
  play.says(agent);
});

const CIRCUMSTANCE = { podUid: 'pod-1', runId: '0199aaaa-0000-7000-8000-000000000001', traceparent: '00-2' };

async function reserve(tokens: number, key = 'call-1'): Promise<Reservation> {
  const outcome = await meter.reserve({ agentId: agent, model: 'small', tokens, key, circumstance: CIRCUMSTANCE });
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.reason);
  return outcome.data;
}

async function reasonOf(tokens: number, key = 'call-1'): Promise<string | null> {
  const outcome = await meter.reserve({ agentId: agent, model: 'small', tokens, key, circumstance: {} });
  return outcome.ok ? null : outcome.reason;
}

test('what a call can use is held, what it used is posted, and the rest is free again', async () => {
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
  assert.deepEqual(await play.funds(agent), ['5.939998', '0'], 'told twice, it is posted once');
});

test('a call that used nothing costs nothing; one that used more than it said costs what was held', async () => {
  const unused = await reserve(1_000, 'unused');
  await meter.release(unused);
  await meter.settle(unused, 900);
  const none = await reserve(1_000, 'none');
  await meter.settle(none, 0);
  assert.deepEqual(await play.funds(agent), ['6', '0']);
  await meter.settle(await reserve(1_000, 'more'), 50_000);
  assert.deepEqual(await play.funds(agent), ['5.998', '0']);
});

test('asked again under its key it is the same reservation; of another size it is refused', async () => {
  const [first, again] = [await reserve(1_000), await reserve(1_000)];
  assert.equal(first.holdId, again.holdId);
  assert.equal(await reasonOf(2_000), 'idempotency_key_reused');
  assert.deepEqual(await play.funds(agent), ['6', '0.002']);
});

test('at a free tier nothing is held', async () => {
  play.says(agent, { tier: 'tier-0' });
  const reservation = await reserve(1_000_000);
  assert.equal(reservation.holdId, null);
  await meter.settle(reservation, 1_000_000);
  await meter.release(reservation);
  assert.deepEqual(await play.funds(agent), ['6', '0']);
});

test('nobody buys tokens without money, without a tier, or barred', async () => {
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
    meter.reserve({ agentId: agent, model: 'small', tokens: 1.5, key: 'k', circumstance: {} }),
    RangeError,
  );
});

test('many calls at once hold no more than there is', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      meter.reserve({ agentId: agent, model: 'small', tokens: 500_000, key: `call-${index}`, circumstance: {} }),
    ),
  );
  const held = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.data] : []));
  assert.equal(held.length, 6, 'of 1 aiDollar each, 6 are there');
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

test('a balance that tokens bring below the edge of its tier loses the tier with the posting', async () => {
  await inTransaction(play.db, (tx) => play.tiers.recompute(tx, [agent]));
  await meter.settle(await reserve(2_000_000), 2_000_000);
  const [{ balanceTier } = { balanceTier: null }] = await inTransaction(play.db, (tx) => lockTiers(tx, [agent]));
  assert.deepEqual([await play.funds(agent), balanceTier], [['2', '0'], 'tier-0']);
});
