/**
 * A reward raises the memory of a running container to that of the tier that the balance opens; a penalty lowers it.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { recordRecovery } from '../env/recovery.ts';
import { until } from '../env/until.ts';
import { agentOf, applyAgent, containerOf, deleteAgents, untilReady, village, type Village } from '../env/village.ts';

/** Money stays with a name permanently, so each run uses a new name. */
const NAME = `dora-${process.pid}`;
const MI = 2 ** 20;
/** The limit as the container sees it: cgroup v2, or v1. */
const READ_LIMIT = 'cat /sys/fs/cgroup/memory.max 2>/dev/null || cat /sys/fs/cgroup/memory/memory.limit_in_bytes';

let place: Village;
let pod = '';

before(async () => {
  place = await village();
  await applyAgent(place, NAME);
  pod = (await untilReady(place, NAME)).pod ?? '';
});
after(() => deleteAgents(place, [NAME]));

async function memoryInside(): Promise<number> {
  return Number(await place.kubectl(['exec', pod, '-c', 'hands', '--', 'sh', '-c', READ_LIMIT]));
}

async function untilMemoryIs(mebibytes: number): Promise<void> {
  await until(`${mebibytes} Mi inside ${pod}`, async () => (await memoryInside()) === mebibytes * MI);
}

async function memoryOf(tier: string): Promise<number> {
  const found = (await place.admin.listEntitlements()).entitlements.find(({ name }) => name === tier);
  assert.match(found?.compute.memory ?? '', /^\d+Mi$/);
  return Number.parseInt(found?.compute.memory ?? '', 10);
}

/** Waits until the api's models, kubectl's tier and the resident's plan are those of the tier. */
async function untilItLivesIn(tier: string, models: readonly string[]): Promise<void> {
  await until(`the models of ${tier}`, async () => {
    const { models: served } = await place.admin.getModelUse({ agent_id: NAME });
    return served.map(({ model }) => model).join() === models.join();
  });
  await until(`kubectl shows ${tier}`, async () =>
    new RegExp(`\\b${tier}\\b`).test(await place.kubectl(['get', 'agent', NAME, '--no-headers'])),
  );
  await until(`it plans for ${tier} and says so`, async () => {
    const { turns } = await place.admin.listTurns({ agent_id: NAME, limit: 100 });
    const plan = turns.at(0)?.decided['plan'] as { readonly tier?: string; readonly model?: string } | undefined;
    return (
      plan?.tier === tier &&
      plan.model === models[0] &&
      turns.some(({ decided }) => decided.why.includes(`, ${tier} now)`))
    );
  });
}

test('a reward over a threshold raises the limit of the running container', async () => {
  const [small, large] = [await memoryOf('tier-0'), await memoryOf('tier-1')];
  assert.equal(await memoryInside(), small * MI);
  const run = await containerOf(place, pod);
  const { balance_after: balance } = await place.admin.rewardAgent({
    agent_id: NAME,
    amount: '12',
    reason: 'a bridge that holds',
  });
  const rewarded = performance.now();
  assert.equal(balance, '12');
  await untilMemoryIs(large);
  recordRecovery('rewardToMemoryMs', performance.now() - rewarded);
  const agent = await until('the tier is seen', async () => {
    const found = await agentOf(place, NAME);
    return found?.tier === 'tier-1' ? found : undefined;
  });
  assert.deepEqual([agent.standing.balance_tier, agent.pod], ['tier-1', pod]);
  // A model writes the agent's post about its new tier, and the agent pays for it at once.
  assert.ok(Number(agent.balance) > 11.9 && Number(agent.balance) <= 12, String(agent.balance));
  assert.deepEqual(await containerOf(place, pod), run, 'the same container continues');
  assert.equal(agent.entitlement.limits?.requests_per_minute, 300);
  assert.equal(agent.entitlement.price?.per_hour, '0.05');
  await untilItLivesIn('tier-1', ['small', 'large']);
  const { posts } = await place.admin.listPosts({ author: NAME });
  assert.deepEqual(
    posts.map(({ title }) => title),
    ['I am in tier-1 now'],
    'on the board, or in speech soon after another post',
  );
});

test('a penalty within the slack of the tier changes nothing; a larger one lowers the memory', async () => {
  const run = await containerOf(place, pod);
  await place.admin.penalizeAgent({ agent_id: NAME, amount: '2.5', reason: 'late' });
  const judged = await until('the balance', async () => {
    const found = await agentOf(place, NAME);
    return Number(found?.balance) <= 9.5 ? found : undefined;
  });
  assert.ok(Number(judged.balance) > 9.4, String(judged.balance));
  assert.equal(judged.standing.balance_tier, 'tier-1');
  await place.admin.penalizeAgent({ agent_id: NAME, amount: '5', reason: 'the bridge fell' });
  const penalized = performance.now();
  await untilMemoryIs(await memoryOf('tier-0'));
  recordRecovery('penaltyToMemoryMs', performance.now() - penalized);
  assert.deepEqual(await containerOf(place, pod), run);
  assert.equal((await untilReady(place, NAME)).pod, pod);
  await until(
    'the limit of tier-0',
    async () => (await agentOf(place, NAME))?.entitlement.limits?.requests_per_minute === 120,
  );
  await untilItLivesIn('tier-0', ['small']);
});
