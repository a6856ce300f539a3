/**
 * Running costs money, on a real API server and scheduler. No pod of a priced tier runs without a hold, and no hold remains
 * without a pod.
 */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { goodStanding, type Standing } from '@hamlet/contract';
import { KubeError } from '@hamlet/kube';
import { until } from '@hamlet/test/env/until';
import { AGENTS } from './objects/names.ts';
import { PRICED_TIERS } from './kinds/agent/testing/sample-state.ts';
import { handsIn, testVillage, type PodOfAgent, type TestVillage } from './testing/test-village.ts';

const AIDOLLAR = 1_000_000n;

let v: TestVillage;

before(async () => {
  v = await testVillage();
  await v.addNode('sparky1', { cpu: '16', memory: '64Gi', pods: '110', 'nvidia.com/gpu': '4' });
  v.village.bank.price(PRICED_TIERS);
  for (const { metadata, spec } of PRICED_TIERS) {
    const { priorityClassName: _none, ...compute } = spec.compute;
    await v.createTier(metadata.name, { rank: spec.rank, minBalance: spec.minBalance, price: spec.price, compute });
  }
  await v.startOperator();
});

after(async () => v.remove());

const say = (agentId: string, parts: Partial<Standing>): void =>
  v.village.say('standing', { ...goodStanding(agentId), ...parts });
const callsOf = (name: string): readonly string[] => v.village.bank.calls.filter((call) => call.split(' ')[1] === name);
const cpuOf = (pod: PodOfAgent): string => handsIn(pod)?.resources.limits['cpu'] ?? '';
const holds = (name: string): string | undefined => v.village.bank.purse(name).held?.tier;

function patch(name: string, spec: object): Promise<unknown> {
  return v.server.client.mergePatch(AGENTS, { spec }, { namespace: v.namespace, name });
}

async function sized(name: string, cpu: string): Promise<PodOfAgent> {
  return until(`${name} with ${cpu}`, async () => {
    const pod = await v.runningPod(name);
    return cpuOf(pod) === cpu && pod;
  });
}

test('an agent of a free tier sends no requests about money', async () => {
  await v.createAgent('bob');
  await v.runningPod('bob');
  await v.condition('bob', 'Admitted True Admitted');
  assert.deepEqual(callsOf('bob'), []);
});

test('there is no pod before the hold, and the api is notified when the pod runs', async () => {
  const { bank } = v.village;
  const thinking = Promise.withResolvers<void>();
  bank.thinks = thinking.promise;
  bank.purse('ada').balance = 20n * AIDOLLAR;
  say('ada', { balance_tier: 'tier-1' });
  await v.createAgent('ada', { power: 'Asleep' });
  await until('the tier of the balance is in the status', async () => (await v.statusOf('ada')).tier === 'tier-1');
  await patch('ada', { power: 'Awake' });
  assert.match(await v.condition('ada', 'Admitted False HoldPending'), /an hour of tier-1 costs 1 aiDollars/);
  assert.deepEqual(await v.podsOf('ada'), []);
  thinking.resolve();
  const pod = await v.runningPod('ada');
  await until('the api is notified of the pod', async () => callsOf('ada').at(-1) === 'granted ada tier-1 1 running');
  assert.equal(callsOf('ada')[0], 'granted ada tier-1 1');
  assert.equal(bank.purse('ada').claim?.pod_uid, pod.metadata.uid);
  assert.equal(cpuOf(pod), '1');
});

test('a reboot requests money for its own cycle, and keeps the hold', async () => {
  const until0 = v.village.bank.purse('ada').held?.untilMs;
  const before = await v.runningPod('ada');
  await patch('ada', { rebootedAt: '2026-11-22T10:00:00Z' });
  await until('another pod', async () =>
    (await v.podsOf('ada')).every(({ metadata }) => metadata.uid !== before.metadata.uid),
  );
  await until(
    'the api is notified of the next pod',
    async () => callsOf('ada').at(-1) === 'granted ada tier-1 2 running',
  );
  assert.ok(callsOf('ada').includes('granted ada tier-1 2'));
  assert.equal(v.village.bank.purse('ada').held?.untilMs, until0);
});

test('when the money runs out, the agent falls back to the free tier in the same pod, and the hold is released', async () => {
  const before = await v.runningPod('ada');
  const purse = v.village.bank.purse('ada');
  purse.balance = 1n * AIDOLLAR;
  purse.renewalRefused = true;
  purse.refused = { tier: 'tier-1', reason: 'NotPaid', payable: 'tier-0' };
  purse.touch();
  v.village.bank.announce('ada');
  assert.match(await v.condition('ada', 'Entitled True ByMeans'), /the balance reaches tier-1/);
  assert.equal((await sized('ada', '500m')).metadata.uid, before.metadata.uid);
  await until('the hold is released', async () => callsOf('ada').at(-1) === 'released ada');
  assert.equal(holds('ada'), undefined);
  assert.equal((await v.statusOf('ada')).tier, 'tier-0');
});

test('with new money the agent returns to the tier, in the same pod', async () => {
  const before = await v.runningPod('ada');
  const purse = v.village.bank.purse('ada');
  purse.balance = 20n * AIDOLLAR;
  purse.refused = null;
  purse.touch();
  v.village.bank.announce('ada');
  assert.equal((await sized('ada', '1')).metadata.uid, before.metadata.uid);
  assert.equal(holds('ada'), 'tier-1');
  await v.condition('ada', 'Entitled True ByBalance');
});

test('a sleeping agent holds no money once its pod is gone', async () => {
  await patch('ada', { power: 'Asleep' });
  await until('the pod is gone', async () => (await v.podsOf('ada')).length === 0);
  await until('the hold is released', async () => callsOf('ada').at(-1) === 'released ada');
  assert.equal(holds('ada'), undefined);
});

test('an agent pinned to a tier that it cannot pay has no pod, and its status says why', async () => {
  v.village.bank.purse('eve').balance = AIDOLLAR / 2n;
  await v.createAgent('eve', { entitlement: { policy: 'Pinned', name: 'tier-1' } });
  assert.match(await v.condition('eve', 'Admitted False NotPaid'), /an hour of tier-1 costs 1 aiDollars/);
  await v.event('eve', 'NotPaid');
  assert.deepEqual(await v.podsOf('eve'), []);
  const purse = v.village.bank.purse('eve');
  purse.balance = 5n * AIDOLLAR;
  purse.refused = null;
  purse.touch();
  v.village.bank.announce('eve');
  await v.runningPod('eve');
});

test('while the api does not answer, running agents continue and nothing new is granted; then another leader asks again and creates one pod', async () => {
  const eve = await v.runningPod('eve');
  v.village.setAway(true);
  v.village.bank.purse('fay').balance = 5n * AIDOLLAR;
  await v.createAgent('fay', { entitlement: { policy: 'Pinned', name: 'tier-1' } });
  await v.stopOperator();
  await v.startOperator();
  await v.condition('fay', 'Entitled False ApiUnreachable');
  assert.deepEqual(await v.podsOf('fay'), []);
  assert.equal((await v.runningPod('eve')).metadata.uid, eve.metadata.uid);
  v.village.setAway(false);
  await v.runningPod('fay');
  assert.equal((await v.runningPod('eve')).metadata.uid, eve.metadata.uid);
  assert.equal(
    callsOf('eve').filter((call) => call.startsWith('refused')).length,
    1,
    'the hold is read from the stream, not requested',
  );
});

test('the next leader uses the hold of a leader that ended before it created the pod', async () => {
  const { bank } = v.village;
  const thinking = Promise.withResolvers<void>();
  bank.thinks = thinking.promise;
  bank.purse('gus').balance = 5n * AIDOLLAR;
  await v.createAgent('gus', { entitlement: { policy: 'Pinned', name: 'tier-1' } });
  await until('the api is asked', async () => bank.received.has('gus'));
  await v.condition('gus', 'Admitted False HoldPending');
  await v.stopOperator();
  thinking.resolve();
  bank.thinks = Promise.resolve();
  await until('the hold', async () => holds('gus') === 'tier-1');
  assert.deepEqual(await v.podsOf('gus'), []);
  await v.startOperator();
  await v.runningPod('gus');
  assert.equal((await v.podsOf('gus')).length, 1);
  assert.equal(holds('gus'), 'tier-1');
  await until('the api is notified of the pod', async () => callsOf('gus').at(-1) === 'granted gus tier-1 1 running');
});

test('a deleted agent holds no money: closing its account ends the hold, without another request', async () => {
  const before = callsOf('gus').length;
  await v.server.client.delete(AGENTS, {
    namespace: v.namespace,
    name: 'gus',
    uid: (await v.server.client.get(AGENTS, { namespace: v.namespace, name: 'gus' })).metadata.uid,
  });
  await until('gus is gone', async () =>
    v.server.client.get(AGENTS, { namespace: v.namespace, name: 'gus' }).then(
      () => false,
      (error: unknown) => error instanceof KubeError && error.status === 404,
    ),
  );
  assert.ok(v.village.closed.some((closed) => closed.startsWith('gus ')));
  assert.equal(
    callsOf('gus').filter((call) => call.startsWith('granted')).length,
    callsOf('gus')
      .slice(0, before)
      .filter((call) => call.startsWith('granted')).length,
  );
});
