/**
 * Running costs money in these tests. No plan creates or enlarges an unpaid pod, in any outage or loss, and no money stays held
 * without a pod.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases, Seeded, seeds } from '@hamlet/test/env/seeded';
import { reconcile, settle } from './testing/converge.ts';
import { disturb } from './testing/disturbances.ts';
import { ModelCluster } from './testing/model-cluster.ts';
import { ModelPurse } from './testing/model-purse.ts';
import { PRICED_TIERS, standingOf } from './testing/sample-state.ts';

const RUNS = cases(200, 10_000);
const DISTURBANCES = 80;
const LIMITS = { attempts: 60 };
const HOUR_MS = 3_600_000;
const AIDOLLAR = 1_000_000n;

function cluster(balance: bigint): ModelCluster & { readonly purse: ModelPurse } {
  const purse = new ModelPurse(PRICED_TIERS, balance);
  return Object.assign(new ModelCluster({ tiers: PRICED_TIERS, purse }), { purse });
}

/** Random disturbances of money: the balance changes, answers get lost, and hours pass. */
function disturbMoney({ purse, ...of }: ReturnType<typeof cluster>, random: Seeded, live: ModelCluster): void {
  const events: readonly (() => void)[] = [
    () => void (purse.balance += BigInt(Math.floor(random.between(0, 15))) * AIDOLLAR),
    () => void (purse.balance = purse.held === null ? purse.balance / 2n : purse.balance),
    () => void (live.losesAnswers = !of.losesAnswers),
    () => live.pass(random.between(0, HOUR_MS)),
    () =>
      live.setSpec({
        entitlement: random.chance(0.5) ? { policy: 'ByBalance' } : { policy: 'Pinned', name: 'tier-1' },
      }),
  ];
  random.one(events)?.();
}

function disturbed(seed: number): ReturnType<typeof cluster> {
  const random = new Seeded(seed);
  const of = cluster(BigInt(Math.floor(random.between(0, 12))) * AIDOLLAR);
  for (let turn = 0; turn < DISTURBANCES; turn += 1) {
    if (random.chance(0.25)) disturbMoney(of, random, of);
    else disturb(of, random.next);
    if (random.chance(0.7))
      reconcile(of, random.chance(0.3) ? Math.floor(random.between(0, 4)) : Number.POSITIVE_INFINITY);
  }
  return of;
}

test(`${RUNS} disturbed agents with money converge to the tier that they can pay, and hold money only for that tier`, () => {
  for (const seed of seeds(RUNS)) {
    const of = disturbed(seed);
    of.calm();
    settle(of, LIMITS);
    const { agent, purse, broken, pods } = of;
    assert.deepEqual([...broken, ...purse.broken], [], `seed ${seed}`);
    assert.ok(agent?.spec, `seed ${seed}`);
    const published = agent.status.tier ?? '';
    const tier = PRICED_TIERS.find(({ metadata }) => metadata.name === published);
    const costs = tier !== undefined && Number(tier.spec.price.perHour) > 0 && pods.length > 0;
    assert.equal(
      purse.held?.tier,
      costs ? published : undefined,
      `seed ${seed}: held for ${purse.held?.tier}, runs ${pods.length} at ${published}`,
    );
    assert.ok(
      pods.every((pod) => tier !== undefined && of.fits(pod, tier)),
      `seed ${seed}: the pod has not the compute of ${published}`,
    );
    const wanted = agent.spec.entitlement.policy === 'Pinned' ? agent.spec.entitlement.name : of.tier.metadata.name;
    if (published !== wanted || (agent.spec.power === 'Awake' && pods.length === 0)) {
      const price = purse.tiers.find(({ name }) => name === wanted)?.perHour ?? 0n;
      assert.ok(
        purse.balance < 2n * price,
        `seed ${seed}: ${purse.balance} pays for ${wanted}, but the tier is ${published}`,
      );
    }
    if (agent.spec.entitlement.policy === 'ByBalance')
      assert.equal(
        pods.length,
        agent.spec.power === 'Awake' ? 1 : 0,
        `seed ${seed}: a free tier must be open to every agent`,
      );
  }
});

/** Lets hours pass. No priced pod may run without a live hold. */
function live(of: ReturnType<typeof cluster>, hours: number): void {
  for (let elapsedMs = 0; elapsedMs < hours * HOUR_MS; elapsedMs += 5_000) {
    of.pass(5_000);
    reconcile(of);
    assert.ok(of.pricedPods.length === 0 || of.purse.pays(of.nowMs), `after ${elapsedMs} ms`);
  }
}

test('hour after hour, the pod always has a live hold, and pays for the time that it ran', () => {
  const of = cluster(20n * AIDOLLAR);
  of.standing = standingOf({ balance_tier: 'tier-1' });
  settle(of, LIMITS);
  const [began, pod] = [of.nowMs, of.pods[0]?.metadata.uid];
  for (let elapsedMs = 0; elapsedMs < 10 * HOUR_MS; elapsedMs += 5_000) {
    of.pass(5_000);
    reconcile(of);
    assert.ok(of.purse.pays(of.nowMs), `after ${elapsedMs} ms`);
  }
  assert.deepEqual([of.pods[0]?.metadata.uid, of.made], [pod, 1]);
  of.setSpec({ power: 'Asleep' });
  settle(of, LIMITS);
  assert.equal(of.purse.held, null);
  const hours = (of.purse.chargedMs - (of.nowMs - began)) / HOUR_MS;
  assert.ok(Math.abs(hours) < 0.1, `charged ${of.purse.chargedMs} ms of ${of.nowMs - began}`);
  assert.ok(of.purse.paid >= (BigInt(of.purse.chargedMs) * AIDOLLAR) / BigInt(HOUR_MS));
});

test('a pinned agent whose money runs out loses its pod, shows NotPaid, and returns once it has money', () => {
  const of = cluster(AIDOLLAR / 2n);
  of.setSpec({ entitlement: { policy: 'Pinned', name: 'tier-1' } });
  settle(of, LIMITS);
  const admitted = (): string | undefined =>
    of.agent?.status.conditions?.find(({ type }) => type === 'Admitted')?.reason;
  assert.deepEqual([of.pods.length, admitted(), of.made], [0, 'NotPaid', 0]);
  of.purse.balance += 2n * AIDOLLAR;
  settle(of, LIMITS);
  assert.deepEqual([of.pods.length, admitted()], [1, 'Admitted']);
  live(of, 4);
  assert.deepEqual([of.pods.length, admitted(), of.purse.held], [0, 'NotPaid', null]);
});

test('while the api does not answer, a pod runs for its paid time, and then at the free tier', () => {
  const of = cluster(20n * AIDOLLAR);
  of.standing = standingOf({ balance_tier: 'tier-1' });
  settle(of, LIMITS);
  of.apiAnswers = false;
  of.apiState = 'Last';
  live(of, 3);
  assert.deepEqual([of.agent?.status.tier, of.made], ['tier-0', 1]);
  of.calm();
  settle(of, LIMITS);
  assert.deepEqual([of.agent?.status.tier, of.made, of.purse.held?.tier, of.broken], ['tier-1', 1, 'tier-1', []]);
});
