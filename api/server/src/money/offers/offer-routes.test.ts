/** Offers for the results of runs, over HTTP on a real Postgres and Redis. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { MICRO } from '@hamlet/contract';
import { inTransaction, lockRun } from '@hamlet/store';
import { dataOf, type TestClient, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { eventually, startPlay } from '../../testing/test-village.ts';
import { placeOfferWith } from './run-offers.ts';
import { assertBooks } from '../testing/purse-play.ts';

const A_SECOND_IN_HOURS = 1 / 3_600;

const { village, play } = await startPlay();
const { member } = play;
const owner = village.openDb();

async function offered(amount: string): Promise<string> {
  return (await member.createRun({ agent_id: 'bob', prompt: 'Bake bread', offer: { amount } })).run.run_id;
}

/** Lets the agent's resident end the run. */
async function ends(runId: string, state: 'done' | 'failed'): Promise<void> {
  const bob = play.as('bob');
  const params = { run_id: runId };
  const { cycle } = await play.agent('bob');
  const { run } = await bob.startRun({ ...params, cycle });
  await bob.settleRun({ ...params, cycle, attempt: run.attempt, state, summary: 'Bread is baked' });
}

const available = async (): Promise<string> => (await play.admin.getBalance({ agent_id: 'bob' })).available;
const offerOf = async (runId: string) =>
  (await member.listOffers({ run_id: runId })).offers[0] ?? assert.fail('no offer');
const accept = (runId: string, by: TestClient = member) => by.raw.acceptOffer({ run_id: runId });
const refuse = (runId: string) => member.raw.refuseOffer({ run_id: runId, reason: 'It is burnt' });
const usedToday = async (): Promise<string> => (await member.getAllowance()).used;

test('an accepted result is paid once, as a reward of the person', async () => {
  const before = await available();
  const runId = await offered('2.5');
  assert.deepEqual([(await offerOf(runId)).state, await available()], ['open', before]);
  await refuses(accept(runId), 'run_under_way');
  await ends(runId, 'done');

  await refuses(accept(runId, play.admin), 'offer_not_yours');
  assert.equal(dataOf(await accept(runId)).offer.state, 'paid');
  await refuses(accept(runId), 'offer_ended');
  await refuses(refuse(runId), 'offer_ended');
  const { entries } = await play.admin.getLedger({ agent_id: 'bob' });
  assert.deepEqual(pluck(entries.slice(0, 1), 'amount', 'reason', 'note'), [['2.5', 'reward', 'Offer for a task']]);
});

test('refusing a result returns money and allowance, and stores the reason', async () => {
  const used = await usedToday();
  const before = await available();
  const runId = await offered('1');
  assert.notEqual(await usedToday(), used);
  await ends(runId, 'done');
  const { offer } = dataOf(await refuse(runId));
  assert.deepEqual([offer.state, offer.reason], ['refused', 'It is burnt']);
  assert.deepEqual([await available(), await usedToday()], [before, used]);
});

test('an offer above the allowance creates no run', async () => {
  const prompt = `Too dear ${randomUUID()}`;
  await refuses(member.createRun({ agent_id: 'bob', prompt, offer: { amount: '1000' } }), 'allowance_exceeded');
  const { runs } = await member.listRuns({ agent_id: 'bob' });
  assert.ok(runs.every((run) => run.prompt !== prompt));
});

test('the money of a failed or cancelled run is returned automatically', async () => {
  const used = await usedToday();
  const failed = await offered('1');
  await ends(failed, 'failed');
  const cancelled = await offered('1');
  await member.cancelRun({ run_id: cancelled });
  for (const runId of [failed, cancelled])
    await eventually('the offer is returned', async () => (await offerOf(runId)).state === 'returned');

  assert.equal(await usedToday(), used);
});

test('the money of an expired offer is returned automatically', async () => {
  const runId = (await member.createRun({ agent_id: 'bob', prompt: 'Bake bread' })).run.run_id;
  await ends(runId, 'done');
  await refuses(accept(runId), 'no_such_offer');
  const actor = { role: 'admin', id: 'grace', accountId: null, name: 'Grace' } as const;
  const asked = { actor, now: new Date(), requestId: randomUUID(), traceparent: null, amount: '1' };
  const economy = { dailyAllowance: MICRO, rewardLimit: MICRO, timeZone: 'UTC' };
  await inTransaction(owner, async (tx) => {
    const run = await lockRun(tx, runId);
    assert.ok(run !== null);
    assert.ok((await placeOfferWith({ economy })(tx, run, { ...asked, expiresInHours: A_SECOND_IN_HOURS })).ok);
  });
  await eventually('the offer has expired', async () => (await offerOf(runId)).state === 'expired');
});

test('one of ten concurrent attempts to accept or refuse ends the offer', async () => {
  const runId = await offered('0.5');
  await ends(runId, 'done');
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? accept(runId) : refuse(runId))),
  );
  assert.equal(outcomes.filter(({ ok }) => ok).length, 1);
});

test('the books agree after all offers of this file', async () => {
  await assertBooks(owner);
});
