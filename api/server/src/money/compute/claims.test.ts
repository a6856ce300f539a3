/** The price of running, on a real Postgres: holds before pods, partial posts, fallbacks, orphans, and races. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CLAIM_TERMS, HOUR_MS } from '@hamlet/core';
import {
  checkLedger,
  findAgentAccount,
  findCircumstance,
  freezeVillage,
  inTransaction,
  isVillageFrozenError,
  liftVillageFreeze,
  lockTiers,
  readEntries,
  resolveHold,
  takeMeasure,
} from '@hamlet/store';
import type { EntryRow } from '@hamlet/store';
import { unpaidPods } from './claim-upkeep.ts';
import { pricedTiers } from './claim-view.ts';
import { startPursePlay, TIERS } from '../testing/purse-play.ts';
import type { PursePlay } from '../testing/purse-play.ts';

let play: PursePlay;
let agents = 0;
let agent = '';

before(async () => {
  play = await startPursePlay();
});
after(async () => {
  assert.deepEqual(
    (await checkLedger(play.db)).filter(({ broken }) => broken > 0),
    [],
  );
  assert.equal(await play.faults(), 0);
  await play.remove();
});

async function rich(aiDollars: string): Promise<string> {
  agent = `agent-${(agents += 1)}`;
  await play.give(agent, aiDollars);
  play.says(agent);
  return agent;
}

/** Entries of an agent, newest first. */
async function entriesOf(agentId: string): Promise<readonly EntryRow[]> {
  const account = await findAgentAccount(play.db, agentId);
  if (account === null) return [];
  return readEntries(play.db, account.accountId, {
    asOf: new Date(Date.now() + 60_000).toISOString(),
    before: null,
    limit: 100,
  });
}

test('a free tier takes nothing, and nothing is written of it', async () => {
  await rich('1');
  assert.deepEqual(await play.ask(agent, { tier: 'tier-0' }), { granted: true, reason: null, hold: null, claim: null });
  assert.deepEqual([await play.claim(agent), await play.told(agent), await play.funds(agent)], [null, [], ['1', '0']]);
});

test('a tier that is not known here is asked for again later', async () => {
  await rich('1');
  const { granted, reason } = await play.ask(agent, { tier: 'tier-9' });
  assert.deepEqual([granted, reason, await play.claim(agent)], [false, 'HoldPending', null]);
});

test('an hour is held before there is a pod, time counts while it runs, and what is not used is free again', async () => {
  await rich('7');
  const asked = await play.ask(agent);
  assert.equal(asked.granted, true);
  assert.deepEqual(await play.funds(agent), ['7', '1']);
  const confirmed = await play.ask(agent, { pod_uid: 'pod-1', image_digest: 'sha256:abc' });
  assert.equal(confirmed.hold?.holdId, asked.hold?.holdId, 'asked again it keeps what is set aside');
  assert.equal(confirmed.claim?.pod_uid, 'pod-1');
  assert.equal(confirmed.hold?.until.getTime(), asked.hold?.until.getTime());
  await play.age(agent, HOUR_MS / 4);
  const claim = await play.claim(agent);
  const desk = play.desk();
  const released = await inTransaction(play.db, async (tx) => {
    const held = await desk.lock(tx, agent);
    return desk.end(tx, held, held.row?.refused ?? null);
  });
  assert.equal(released, true);
  assert.equal(await play.claim(agent), null);
  const [usage] = await entriesOf(agent);
  assert.equal(usage?.reason, 'usage');
  const process = await findCircumstance(play.db, usage.transferId);
  assert.deepEqual([process?.podUid, process?.imageDigest, process?.traceparent], ['pod-1', 'sha256:abc', '00-1']);
  const spent = -Number(usage?.amount);
  assert.ok(spent >= 250_000 && spent < 260_000, `a quarter of an hour costs about 0.25, and was ${spent}`);
  assert.equal((await play.funds(agent))[1], '0');
  const versions = (await play.told(agent)).map(({ version, held }) => [version, held] as const);
  assert.deepEqual(
    versions.map(([, held]) => held),
    [true, true, false],
  );
  assert.deepEqual(
    versions.map(([version]) => version),
    versions.map(([version]) => version).toSorted((a, b) => a - b),
  );
  assert.ok(claim !== null && claim.version < (versions.at(-1)?.[0] ?? 0));
});

test('a pod that never ran costs nothing', async () => {
  await rich('7');
  await play.ask(agent);
  await play.age(agent, HOUR_MS / 4);
  await inTransaction(play.db, (tx) => play.desk().endLife(tx, agent, `${agent}-uid`));
  assert.deepEqual(
    [await play.funds(agent), (await entriesOf(agent)).length, await play.claim(agent)],
    [['7', '0'], 1, null],
  );
});

test('a reboot goes on with what is held; the time of the new pod is counted of its own', async () => {
  await rich('7');
  const first = await play.ask(agent, { pod_uid: 'pod-1' });
  await play.age(agent, 60_000);
  const second = await play.ask(agent, { cycle: 2 });
  assert.deepEqual([second.hold?.holdId, second.claim?.pod_uid, second.claim?.cycle], [first.hold?.holdId, null, 2]);
  const counted = (await play.claim(agent))?.hold?.usedMs ?? 0;
  assert.ok(counted >= 60_000 && counted < 120_000);
});

test('another tier takes its own hold in place of the first, and charges what was used of that', async () => {
  await rich('60');
  await play.ask(agent, { pod_uid: 'pod-1' });
  await play.age(agent, HOUR_MS / 2);
  const up = await play.ask(agent, { tier: 'tier-2', pod_uid: 'pod-1' });
  assert.deepEqual([up.granted, up.claim?.tier, (await play.funds(agent))[1]], [true, 'tier-2', '10']);
  const spent = -Number((await entriesOf(agent))[0]?.amount);
  assert.ok(spent >= 500_000 && spent < 510_000);
});

test('who cannot pay is told what it could pay, and keeps what it has', async () => {
  await rich('4');
  await play.ask(agent, { pod_uid: 'pod-1' });
  const refused = await play.ask(agent, { tier: 'tier-2', pod_uid: 'pod-1' });
  assert.deepEqual([refused.granted, refused.reason], [false, 'NotPaid']);
  assert.deepEqual(refused.claim?.refused, { tier: 'tier-2', reason: 'NotPaid', payable: 'tier-1' });
  assert.deepEqual([refused.claim?.held, refused.claim?.tier], [true, 'tier-1']);
  assert.deepEqual(await play.funds(agent), ['4', '1']);
});

test('who can pay for nothing holds nothing, falls back to what is free, and may ask again once there is money', async () => {
  await rich('0.5');
  const refused = await play.ask(agent);
  assert.deepEqual(refused.claim?.refused, { tier: 'tier-1', reason: 'NotPaid', payable: 'tier-0' });
  assert.deepEqual([refused.claim?.held, refused.claim?.tier, await play.funds(agent)], [false, null, ['0.5', '0']]);
  play.says(agent, { tier: 'tier-0' });
  await play.keep(agent);
  assert.notEqual(await play.claim(agent), null, 'still too little');
  await play.give(agent, '3');
  await play.keep(agent);
  assert.equal(await play.claim(agent), null);
  assert.equal((await play.ask(agent)).granted, true);
});

test('an agent that nobody ever paid, or that does not live, can pay for nothing', async () => {
  const nobody = 'nobody';
  assert.equal((await play.ask(nobody)).reason, 'NotPaid');
  play.agents.delete(nobody);
  await play.age(nobody, CLAIM_TERMS.settleInMs + 5_000);
  await play.keep(nobody);
  assert.equal(await play.claim(nobody), null, 'and is forgotten');
});

test('nothing is set aside for whom something is held against; a revoked token is no reason', async () => {
  await rich('7');
  const by = { role: 'admin', id: 'test' };
  const bar = (measure: 'freeze' | 'revoke_token'): Promise<unknown> =>
    inTransaction(play.db, async (tx) => {
      await lockTiers(tx, [agent]);
      await takeMeasure(tx, { agentId: agent, measure, reason: 'test', expiresAt: null }, by);
    });
  await bar('revoke_token');
  assert.equal((await play.ask(agent)).granted, true);
  await bar('freeze');
  assert.equal((await play.ask(agent)).granted, true, 'what is held is held');
  const { granted, reason, claim } = await play.ask(agent, { tier: 'tier-2' });
  assert.deepEqual([granted, reason, claim?.refused?.payable], [false, 'HoldRefused', 'tier-0']);
});

test('half an hour before its end a hold is settled and the next one taken', async () => {
  await rich('7');
  const first = await play.ask(agent, { pod_uid: 'pod-1' });
  await play.age(agent, CLAIM_TERMS.renewMs - 60_000);
  await play.keep(agent);
  assert.equal((await play.claim(agent))?.hold?.holdId, first.hold?.holdId, 'not yet');
  await play.age(agent, 120_000);
  await play.keep(agent);
  const next = (await play.claim(agent))?.hold;
  assert.notEqual(next?.holdId, first.hold?.holdId);
  assert.equal(next?.pod?.uid, 'pod-1');
  const spent = -Number((await entriesOf(agent))[0]?.amount);
  assert.ok(spent >= 516_000 && spent < 530_000, `31 minutes, and were ${spent}`);
  assert.equal((await play.funds(agent))[1], '1');
});

test('where the next hold cannot be taken the pod has what is paid, then the operator is told, then it ends', async () => {
  await rich('1.2');
  await play.ask(agent, { pod_uid: 'pod-1' });
  await play.age(agent, CLAIM_TERMS.renewMs + 60_000);
  await play.keep(agent);
  assert.equal((await play.claim(agent))?.hold?.renewalRefused, false, 'what is paid for is had');
  await play.age(agent, HOUR_MS - CLAIM_TERMS.renewMs - 60_000 - CLAIM_TERMS.endMs + 1_000);
  await play.keep(agent);
  const told = await play.claim(agent);
  assert.deepEqual(
    [told?.hold?.renewalRefused, told?.refused],
    [true, { tier: 'tier-1', reason: 'NotPaid', payable: 'tier-0' }],
  );
  assert.deepEqual((await play.told(agent)).at(-1)?.held, false);
  await play.age(agent, CLAIM_TERMS.endMs);
  await play.keep(agent);
  const over = await play.claim(agent);
  assert.deepEqual([over?.hold, over?.refused?.tier], [null, 'tier-1']);
  assert.deepEqual(await play.funds(agent), ['0.2', '0'], 'an hour was paid, and no more than that was used');
});

test('an api that was away for long still charges what was used, and no more than was held', async () => {
  await rich('1.2');
  await play.ask(agent, { pod_uid: 'pod-1' });
  await play.age(agent, 5 * HOUR_MS);
  await play.keep(agent);
  await play.keep(agent);
  assert.deepEqual(await play.funds(agent), ['0.2', '0']);
});

test('a hold that is over without its claim, as one that has expired is, is found, and the pod goes on by another', async () => {
  await rich('7');
  const { hold } = await play.ask(agent, { pod_uid: 'pod-1' });
  await inTransaction(play.db, (tx) =>
    resolveHold(tx, {
      holdId: hold?.holdId ?? '',
      outcome: 'voided',
      key: `lost ${agent}`,
      actor: { role: 'system', id: 'test' },
    }),
  );
  assert.equal(await play.faults(), 1, 'it is seen');
  await play.age(agent, CLAIM_TERMS.renewMs + 1_000);
  await play.keep(agent);
  assert.equal(await play.faults(), 0);
  const next = (await play.claim(agent))?.hold?.holdId;
  assert.ok(next !== undefined && next !== hold?.holdId);
});

test('what nothing runs by any more is ended, but not before it had time to begin', async () => {
  const ways: readonly (readonly [string, () => void])[] = [
    ['asleep', () => play.says(agent, { power: 'Asleep' })],
    ['another tier', () => play.says(agent, { tier: 'tier-0' })],
    ['another life', () => play.says(agent, { uid: 'other' })],
    ['gone', () => play.agents.delete(agent)],
  ];
  for (const [what, happen] of ways) {
    await rich('7');
    await play.ask(agent);
    happen();
    await play.keep(agent);
    assert.notEqual(await play.claim(agent), null, `${what}: it may be on its way`);
    await play.age(agent, CLAIM_TERMS.settleInMs + 1_000);
    await play.keep(agent);
    assert.equal(await play.claim(agent), null, what);
    assert.deepEqual(await play.funds(agent), ['7', '0'], what);
  }
});

test('an hour that costs another price by now is held at the new one; a tier that has become free needs no hold', async () => {
  await rich('7');
  await play.ask(agent, { pod_uid: 'pod-1' });
  const dearer = TIERS.map((each) =>
    each.name === 'tier-1' ? { ...each, spec: { ...each.spec, price: { ...each.spec.price, perHour: '2' } } } : each,
  );
  try {
    play.entitlements = dearer;
    await play.age(agent, CLAIM_TERMS.renewMs + 1_000);
    await play.keep(agent);
    assert.equal((await play.funds(agent))[1], '2');
    play.entitlements = TIERS.map((each) => ({
      ...each,
      spec: { ...each.spec, price: { ...each.spec.price, perHour: '0' } },
    }));
    await play.age(agent, CLAIM_TERMS.renewMs + 1_000);
    await play.keep(agent);
    assert.equal(await play.claim(agent), null);
  } finally {
    play.entitlements = TIERS;
  }
});

test('many operators, replicas and ends at once: one hold at most, and every aiDollar is somewhere', async () => {
  await rich('30');
  for (let round = 0; round < 8; round += 1) {
    const desk = play.desk();
    const end = (): Promise<unknown> =>
      inTransaction(play.db, async (tx) => desk.end(tx, await desk.lock(tx, agent), null));
    await play.ask(agent);
    await play.age(agent, CLAIM_TERMS.renewMs + 1_000);
    await Promise.all([
      ...Array.from({ length: 4 }, (_, index) =>
        play.ask(agent, { cycle: 1 + (index % 2), tier: index === 3 ? 'tier-2' : 'tier-1', pod_uid: `pod-${index}` }),
      ),
      ...Array.from({ length: 4 }, () => play.keep(agent)),
      end(),
    ]);
    const claim = await play.claim(agent);
    const [, held] = await play.funds(agent);
    const costs: Readonly<Record<string, string>> = { 'tier-1': '1', 'tier-2': '10' };
    assert.equal(held, costs[claim?.hold?.tier ?? ''] ?? '0', `round ${round}`);
    assert.equal(await play.faults(), 0);
  }
});

test('a pod of a priced tier without a hold is found', async () => {
  await rich('7');
  const tiers = pricedTiers(play.source);
  async function found(): Promise<boolean> {
    const claim = await play.claim(agent);
    return unpaidPods(play.source.list(), claim === null ? [] : [claim], { tiers, nowMs: Date.now() }).includes(
      `${agent} ${agent}-uid`,
    );
  }
  assert.equal(await found(), true);
  await play.ask(agent);
  assert.equal(await found(), false);
  await play.age(agent, 2 * HOUR_MS);
  assert.equal(await found(), true, 'its time is over');
  play.says(agent, { tier: 'tier-0' });
  assert.equal(await found(), false);
});

test('while the village is frozen a pod that ends stops its meter, and is charged for no more after the freeze', async () => {
  const actor = { role: 'admin', id: 'test' };
  await play.give('frost', '10');
  play.says('frost', {});
  await play.ask('frost');
  await play.ask('frost', { pod_uid: 'pod' });
  await play.age('frost', HOUR_MS / 4);
  await inTransaction(play.db, (tx) => freezeVillage(tx, { reason: 'test', actor }));
  await assert.rejects(play.ask('frost', { tier: 'tier-2' }), isVillageFrozenError);
  await inTransaction(play.db, (tx) => play.desk().endLife(tx, 'frost', 'frost-uid'));
  const stopped = await play.claim('frost');
  assert.equal(stopped?.hold?.pod, null);
  assert.ok((stopped?.hold?.usedMs ?? 0) >= HOUR_MS / 4);
  assert.deepEqual(await play.funds('frost'), ['10', '1'], 'no money has moved');
  // The rest of the hour passes, and more.
  await play.age('frost', HOUR_MS / 2);
  await inTransaction(play.db, (tx) => liftVillageFreeze(tx, { reason: null, actor }));
  play.agents.delete('frost');
  await play.keep('frost');
  const [balance, held] = await play.funds('frost');
  assert.equal(held, '0');
  assert.match(balance, /^9\.7[45]/);
});
