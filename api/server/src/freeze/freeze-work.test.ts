/**
 * Models, runs, firings and compute claims wait while the village is frozen and continue afterwards, with two replicas
 * and a restart.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VillageFreeze } from '@hamlet/contract';
import { inTransaction, lockRun, readFreeze } from '@hamlet/store';
import { codeOf, dataOf, refuses } from '@hamlet/test/env/client';
import { heldModels } from '../gateway/testing/held-models.ts';
import { firingBody, leaderOf, RunPlay } from '../testing/play/run-play.ts';
import { agentToken, clientOf, eventually, testVillage, withTokenPrice } from '../testing/test-village.ts';

const held = heldModels();
const { models } = held;

const village = await testVillage();
await village.writeSample('good-entitlement-tier-0.yaml', (tier) =>
  withTokenPrice(tier).replace('models: [small]', 'models: [small, held]'),
);
const one = new RunPlay((await village.startReplica({}, { models })).peopleUrl);
const two = new RunPlay((await village.startReplica({}, { models })).peopleUrl);
const db = village.openDb();
await one.play.everybody();
await one.play.admin.rewardAgent({ agent_id: 'bob', amount: '1', reason: 'money for tokens' });

const freeze = (by = one): Promise<VillageFreeze> => by.play.admin.freezeVillage({ reason: 'test' });
const lift = (by = one): Promise<VillageFreeze> => by.play.admin.liftVillageFreeze();
const owed = async (): Promise<number> => (await db.selectFrom('unposted_usage').select('hold_id').execute()).length;

async function usageOfBob(): Promise<number> {
  const { entries } = await one.play.admin.getLedger({ agent_id: 'bob', limit: 100 });
  return entries.filter(({ reason }) => reason === 'usage').length;
}

const chat = { model: 'small', messages: [{ role: 'user' as const, content: 'Hello' }] };

test("a freeze on another replica cuts off a model's answer; the agent pays for its text after the freeze", async () => {
  const response = await fetch(`${one.play.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agentToken('bob')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...chat, model: 'held', stream: true }),
  });
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('First.')) {
    const piece = await reader?.read();
    assert.ok(piece?.done === false, text);
    text += piece.value;
  }
  const { last_model_request_at: asked } = await freeze(two);
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) text += piece.value;
  assert.match(text, /village_frozen/);
  assert.ok(!text.includes('Then.'));
  assert.equal(await eventually('the record of the used tokens', owed), 1);
  assert.equal(await usageOfBob(), 0);
  for (const play of [one, two]) await refuses(play.play.as('bob').completeChat(chat), 'village_frozen');
  assert.equal(
    (await clientOf(one.play.url).getVillageFreeze()).last_model_request_at,
    asked,
    'no model was asked meanwhile',
  );
  await lift();
  await eventually('the usage to be posted', async () => (await owed()) === 0 && (await usageOfBob()) === 1);
  assert.equal(await codeOf(two.play.as('bob').completeChat(chat)), null);
});

test('every route that moves money refuses, and a retry with the same key succeeds after the freeze', async () => {
  const { admin } = one.play;
  await freeze();
  const money = { agent_id: 'ada', amount: '1', reason: 'test' };
  const idempotencyKey = 'freeze-retry';
  const calls = {
    reward: admin.raw.rewardAgent(money, { idempotencyKey }),
    penalty: admin.raw.penalizeAgent({ ...money, agent_id: 'bob' }),
    credit: admin.raw.createCredit({ agent_id: 'ada', provider_transaction_id: 'T-frozen', amount: '1' }),
    purchase: one.play.as('bob').raw.buyCompute({ item: { kind: 'priority' }, seconds: 60 }),
    claim: leaderOf(one.play.url, 'lease-freeze:1').raw.claimCompute({
      agent_id: 'ada',
      uid: 'u',
      cycle: 1,
      tier: 'tier-1',
      pod_uid: null,
      image_digest: null,
    }),
    firing: leaderOf(one.play.url, 'lease-freeze:1').raw.fireSchedule(firingBody({ schedule_uid: 'frozen' })),
  };
  for (const [what, call] of Object.entries(calls)) {
    const code = await codeOf(call);
    // A tier of the samples may be free and then needs no money.
    if (what !== 'claim' || code !== null) assert.equal(code, 'village_frozen', what);
  }
  await lift();
  assert.equal(await codeOf(admin.rewardAgent(money, { idempotencyKey })), null);
  assert.equal(
    await codeOf(leaderOf(one.play.url, 'lease-freeze:1').fireSchedule(firingBody({ schedule_uid: 'frozen' }))),
    null,
  );
  await one.finishAll('ada');
});

test('a new run waits until the freeze is lifted; a run in progress may end', async () => {
  const going = await one.give('cleo');
  dataOf(await one.start('cleo', going.run_id));
  await freeze();
  const waiting = await two.give('dan');
  assert.equal(await two.next('dan'), null);
  await refuses(two.start('dan', waiting.run_id), 'village_frozen');
  dataOf(await two.settle('cleo', going.run_id, { state: 'done', summary: 'Done.' }));
  await lift();
  assert.equal((await two.next('dan'))?.run_id, waiting.run_id);
  await two.finishAll('dan');
});

test('a run that needs its model during a freeze waits, and may start as soon as the freeze is lifted', async () => {
  const { run_id } = await one.give('cleo');
  const { run } = dataOf(await one.start('cleo', run_id));
  await freeze();
  const lease = { cycle: run.cycle ?? 0, attempt: run.attempt };
  await one.play.as('cleo').parkRun({ run_id, ...lease, code: 'village_frozen', wait_ms: 3_600_000 });
  assert.equal((await two.get(run_id)).parked?.code, 'village_frozen');
  assert.equal(await two.next('cleo'), null);
  await lift(two);
  assert.equal((await one.next('cleo'))?.run_id, run_id);
  dataOf(await one.start('cleo', run_id));
  dataOf(await one.settle('cleo', run_id, { state: 'done', summary: 'Done.' }));
});

test('a transaction that holds a waiting run neither holds up the end of a freeze nor is ended by it', async () => {
  const { run_id } = await one.give('cleo');
  const { run } = dataOf(await one.start('cleo', run_id));
  await freeze();
  const lease = { cycle: run.cycle ?? 0, attempt: run.attempt };
  await one.play.as('cleo').parkRun({ run_id, ...lease, code: 'village_frozen', wait_ms: 1_000 });
  let passes = 0;
  await inTransaction(db, async (tx) => {
    passes += 1;
    await lockRun(tx, run_id);
    await lift(two);
    assert.equal(await readFreeze(tx), null, 'its connection lives');
  });
  assert.equal(passes, 1);
  await eventually('the run to start', async () => (await one.next('cleo'))?.run_id === run_id);
  dataOf(await one.start('cleo', run_id));
  dataOf(await one.settle('cleo', run_id, { state: 'done', summary: 'Done.' }));
});

test('agents stand still while the village is frozen, and walk again after it', async () => {
  const ada = two.play.as('ada');
  const self = async () =>
    (await one.play.admin.getWorld({ around: 'ada' })).agents.find(({ agent_id }) => agent_id === 'ada');
  const walk = () => ada.moveAgent({ agent_id: 'ada', landmark_id: 'dock' });
  const { to, path_tiles } = await walk();
  assert.ok(path_tiles > 4, `${path_tiles} tiles`);
  // This replica may not know the walk yet.
  await eventually('the agent to walk', async () => (await self())?.moving_to !== null);
  await freeze(two);
  const stopped = await eventually('the agent to stand', async () => {
    const seen = await self();
    return seen?.moving_to === null ? seen : null;
  });
  assert.notDeepEqual(stopped.position, to);
  await refuses(walk(), 'village_frozen');
  await refuses(ada.actAsAgent({ agent_id: 'ada', kind: 'emote', emote: 'wave' }), 'village_frozen');
  await refuses(one.play.admin.moveAgent({ agent_id: 'ada', landmark_id: 'dock' }), 'village_frozen');
  assert.deepEqual((await self())?.position, stopped.position);
  await lift();
  await eventually('the agent to walk again', async () => (await codeOf(walk())) === null);
});

test('a replica that starts during a freeze obeys it and does not lift it', async () => {
  await freeze();
  const third = new RunPlay((await village.startReplica({}, { models })).peopleUrl);
  assert.equal((await clientOf(third.play.url).getVillageFreeze()).frozen, true);
  await refuses(third.play.admin.rewardAgent({ agent_id: 'ada', amount: '1', reason: 'test' }), 'village_frozen');
  await refuses(third.play.as('bob').completeChat(chat), 'village_frozen');
  await lift(third);
  assert.equal(await codeOf(two.play.admin.rewardAgent({ agent_id: 'ada', amount: '1', reason: 'test' })), null);
});
