/** The price of running, on a real Postgres: holds before pods, partial posts, fallbacks, orphans, and races. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLAIM_TERMS, HOUR_MS } from '@hamlet/core';
import {
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

let agents = 0;
let agent = '';

const play = await startPursePlay();

async function rich(aiDollars: string): Promise<string> {
  agent = `agent-${(agents += 1)}`;
  await play.give(agent, aiDollars);
  play.says(agent);
  return agent;
}

async function entriesOf(agentId: string): Promise<readonly EntryRow[]> {
  const account = await findAgentAccount(play.db, agentId);
  if (account === null) return [];
  return readEntries(play.db, account.accountId, {
    asOf: new Date(Date.now() + 60_000).toISOString(),
    before: null,
    limit: 100,
  });
}

test('a free tier costs nothing and leaves no row', async () => {
  await rich('1');
  assert.deepEqual(await play.ask(agent, { tier: 'tier-0' }), { granted: true, reason: null, hold: null, claim: null });
  assert.deepEqual(
    [await play.claim(agent), await play.reported(agent), await play.funds(agent)],
    [null, [], ['1', '0']],
  );
});

test('a claim for a tier that the API does not know yet gets HoldPending and writes nothing', async () => {
  await rich('1');
  const { granted, reason } = await play.ask(agent, { tier: 'tier-9' });
  assert.deepEqual([granted, reason, await play.claim(agent)], [false, 'HoldPending', null]);
});

test('an hour is held before the pod exists, the meter runs while the pod runs, and the unused part is freed', async () => {
  await rich('7');
  const asked = await play.ask(agent);
  assert.equal(asked.granted, true);
  assert.deepEqual(await play.funds(agent), ['7', '1']);
  const confirmed = await play.ask(agent, { pod_uid: 'pod-1', image_digest: 'sha256:abc' });
  assert.equal(confirmed.hold?.holdId, asked.hold?.holdId, 'a second claim keeps the hold');
  assert.equal(confirmed.claim?.pod_uid, 'pod-1');
  assert.equal(confirmed.hold?.until.getTime(), asked.hold?.until.getTime());
  await play.age(agent, HOUR_MS / 4);
  const claim = await play.claim(agent);
  const computeClaims = play.computeClaims();
  const released = await inTransaction(play.db, async (tx) => {
    const held = await computeClaims.lock(tx, agent);
    return computeClaims.end(tx, held, held.row?.refused ?? null);
  });
  assert.equal(released, true);
  assert.equal(await play.claim(agent), null);
  const [usage] = await entriesOf(agent);
  assert.equal(usage?.reason, 'usage');
  const process = await findCircumstance(play.db, usage.transferId);
  assert.deepEqual([process?.podUid, process?.imageDigest, process?.traceparent], ['pod-1', 'sha256:abc', '00-1']);
  const spent = -Number(usage?.amount);
  assert.ok(spent >= 250_000 && spent < 260_000, `a quarter of an hour should cost about 0.25, and cost ${spent}`);
  assert.equal((await play.funds(agent))[1], '0');
  const versions = (await play.reported(agent)).map(({ version, held }) => [version, held] as const);
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
  await inTransaction(play.db, (tx) => play.computeClaims().endLife(tx, agent, `${agent}-uid`));
  assert.deepEqual(
    [await play.funds(agent), (await entriesOf(agent)).length, await play.claim(agent)],
    [['7', '0'], 1, null],
  );
});

test('a reboot keeps the hold; the meter counts the new pod separately', async () => {
  await rich('7');
  const first = await play.ask(agent, { pod_uid: 'pod-1' });
  await play.age(agent, 60_000);
  const second = await play.ask(agent, { cycle: 2 });
  assert.deepEqual([second.hold?.holdId, second.claim?.pod_uid, second.claim?.cycle], [first.hold?.holdId, null, 2]);
  const counted = (await play.claim(agent))?.hold?.usedMs ?? 0;
  assert.ok(counted >= 60_000 && counted < 120_000);
});

test('another tier replaces the hold with its own and charges the used part of the first', async () => {
  await rich('60');
  await play.ask(agent, { pod_uid: 'pod-1' });
  await play.age(agent, HOUR_MS / 2);
  const up = await play.ask(agent, { tier: 'tier-2', pod_uid: 'pod-1' });
  assert.deepEqual([up.granted, up.claim?.tier, (await play.funds(agent))[1]], [true, 'tier-2', '10']);
  const spent = -Number((await entriesOf(agent))[0]?.amount);
  assert.ok(spent >= 500_000 && spent < 510_000);
});

test('an agent that cannot pay is offered the highest tier that it can pay, and keeps its hold', async () => {
  await rich('4');
  await play.ask(agent, { pod_uid: 'pod-1' });
  const refused = await play.ask(agent, { tier: 'tier-2', pod_uid: 'pod-1' });
  assert.deepEqual([refused.granted, refused.reason], [false, 'NotPaid']);
  assert.deepEqual(refused.claim?.refused, { tier: 'tier-2', reason: 'NotPaid', payable: 'tier-1' });
  assert.deepEqual([refused.claim?.held, refused.claim?.tier], [true, 'tier-1']);
  assert.deepEqual(await play.funds(agent), ['4', '1']);
});

test('an agent that can pay for no tier falls back to a free tier, and may claim again once it has money', async () => {
  await rich('0.5');
  const refused = await play.ask(agent);
  assert.deepEqual(refused.claim?.refused, { tier: 'tier-1', reason: 'NotPaid', payable: 'tier-0' });
  assert.deepEqual([refused.claim?.held, refused.claim?.tier, await play.funds(agent)], [false, null, ['0.5', '0']]);
  play.says(agent, { tier: 'tier-0' });
  await play.keep(agent);
  assert.notEqual(await play.claim(agent), null, 'the money is still too little');
  await play.give(agent, '3');
  await play.keep(agent);
  assert.equal(await play.claim(agent), null);
  assert.equal((await play.ask(agent)).granted, true);
});

test('an agent without income, or one that does not exist, can pay for no tier', async () => {
  const stranger = 'nobody';
  assert.equal((await play.ask(stranger)).reason, 'NotPaid');
  play.agents.delete(stranger);
  await play.age(stranger, CLAIM_TERMS.settleInMs + 5_000);
  await play.keep(stranger);
  assert.equal(await play.claim(stranger), null, 'and its claim is deleted');
});

test('a barred agent gets no hold; an agent with a revoked token does', async () => {
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
  assert.equal((await play.ask(agent)).granted, true, 'the measure leaves an existing hold alone');
  const { granted, reason, claim } = await play.ask(agent, { tier: 'tier-2' });
  assert.deepEqual([granted, reason, claim?.refused?.payable], [false, 'HoldRefused', 'tier-0']);
});

test('the upkeep settles a hold half an hour before its end and takes the next one', async () => {
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
  assert.ok(spent >= 516_000 && spent < 530_000, `31 minutes should cost about 0.52, and cost ${spent}`);
  assert.equal((await play.funds(agent))[1], '1');
});

test('if the next hold is refused, the pod keeps its paid time, the operator is notified, and the claim ends afterwards', async () => {
  await rich('1.2');
  await play.ask(agent, { pod_uid: 'pod-1' });
  await play.age(agent, CLAIM_TERMS.renewMs + 60_000);
  await play.keep(agent);
  assert.equal((await play.claim(agent))?.hold?.renewalRefused, false, 'the pod may use the time that is paid');
  await play.age(agent, HOUR_MS - CLAIM_TERMS.renewMs - 60_000 - CLAIM_TERMS.endMs + 1_000);
  await play.keep(agent);
  const reported = await play.claim(agent);
  assert.deepEqual(
    [reported?.hold?.renewalRefused, reported?.refused],
    [true, { tier: 'tier-1', reason: 'NotPaid', payable: 'tier-0' }],
  );
  assert.deepEqual((await play.reported(agent)).at(-1)?.held, false);
  await play.age(agent, CLAIM_TERMS.endMs);
  await play.keep(agent);
  const over = await play.claim(agent);
  assert.deepEqual([over?.hold, over?.refused?.tier], [null, 'tier-1']);
  assert.deepEqual(await play.funds(agent), ['0.2', '0'], 'the agent paid one hour, and no more');
});

test('after a long outage the API still charges the used time, but no more than the hold', async () => {
  await rich('1.2');
  await play.ask(agent, { pod_uid: 'pod-1' });
  await play.age(agent, 5 * HOUR_MS);
  await play.keep(agent);
  await play.keep(agent);
  assert.deepEqual(await play.funds(agent), ['0.2', '0']);
});

test('the check finds a hold that ended without its claim, and the pod continues on a new hold', async () => {
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
  assert.equal(await play.faults(), 1, 'the check reports it');
  await play.age(agent, CLAIM_TERMS.renewMs + 1_000);
  await play.keep(agent);
  assert.equal(await play.faults(), 0);
  const next = (await play.claim(agent))?.hold?.holdId;
  assert.ok(next !== undefined && next !== hold?.holdId);
});

test('the upkeep ends a claim without a pod, but only after the pod had time to start', async () => {
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
    assert.notEqual(await play.claim(agent), null, `${what}: the pod may still be starting`);
    await play.age(agent, CLAIM_TERMS.settleInMs + 1_000);
    await play.keep(agent);
    assert.equal(await play.claim(agent), null, what);
    assert.deepEqual(await play.funds(agent), ['7', '0'], what);
  }
});

test('a changed price applies from the next hour; a tier that has become free needs no hold', async () => {
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

test('concurrent claims, upkeep and ends on several replicas leave at most one hold and lose no money', async () => {
  await rich('30');
  for (let round = 0; round < 8; round += 1) {
    const computeClaims = play.computeClaims();
    const end = (): Promise<unknown> =>
      inTransaction(play.db, async (tx) => computeClaims.end(tx, await computeClaims.lock(tx, agent), null));
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

test('the check finds a pod of a priced tier without a hold', async () => {
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
  assert.equal(await found(), true, 'its paid time is over');
  play.says(agent, { tier: 'tier-0' });
  assert.equal(await found(), false);
});

test('if a pod ends during a freeze, its meter stops, and the agent later pays no more than that', async () => {
  const actor = { role: 'admin', id: 'test' };
  await play.give('frost', '10');
  play.says('frost', {});
  await play.ask('frost');
  await play.ask('frost', { pod_uid: 'pod' });
  await play.age('frost', HOUR_MS / 4);
  await inTransaction(play.db, (tx) => freezeVillage(tx, { reason: 'test', actor }));
  await assert.rejects(play.ask('frost', { tier: 'tier-2' }), isVillageFrozenError);
  await inTransaction(play.db, (tx) => play.computeClaims().endLife(tx, 'frost', 'frost-uid'));
  const stopped = await play.claim('frost');
  assert.equal(stopped?.hold?.pod, null);
  assert.ok((stopped?.hold?.usedMs ?? 0) >= HOUR_MS / 4);
  assert.deepEqual(await play.funds('frost'), ['10', '1'], 'no money has moved');
  // Longer than the rest of the hour.
  await play.age('frost', HOUR_MS / 2);
  await inTransaction(play.db, (tx) => liftVillageFreeze(tx, { reason: null, actor }));
  play.agents.delete('frost');
  await play.keep('frost');
  const [balance, held] = await play.funds('frost');
  assert.equal(held, '0');
  assert.match(balance, /^9\.7[45]/);
});
