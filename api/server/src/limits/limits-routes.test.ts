/** Requests per minute across two replicas, with and without Redis. */
import assert from 'node:assert/strict';
import { request, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { type Outcome } from '@hamlet/contract';
import { Redis } from 'ioredis';
import { dataOf, type TestClient } from '@hamlet/test/env/client';
import { agentToken, clientOf, eventually, TOKENS, ownVillage, type AgentId, Play } from '../testing/test-village.ts';

const TIER_0_REQUESTS = 120;

const village = await ownVillage();
const [first, second] = await Promise.all([village.startReplica(), village.startReplica()]);
const urls: readonly [string, string] = [first.peopleUrl, second.peopleUrl];
const play = new Play(urls[0]);
await play.everybody();

function replicas(agentId: AgentId): readonly [TestClient, TestClient] {
  return [clientOf(urls[0], agentToken(agentId)), clientOf(urls[1], agentToken(agentId))];
}

const reward = (client: TestClient): Promise<Outcome<unknown>> =>
  client.raw.rewardAgent({ agent_id: 'bob', amount: '1', reason: 'for the test' });

test('two replicas count an agent together exactly; other agents and people are not affected', async () => {
  const [one, two] = replicas('cleo');
  const outcomes: Outcome<unknown>[] = [];
  // The replicas always count this route together, so that a slow answer of Redis on a busy machine does not matter.
  for (let turn = 0; turn < TIER_0_REQUESTS / 2 + 2; turn += 1)
    outcomes.push(...(await Promise.all([one.raw.listModels(), two.raw.listModels()])));
  const late = outcomes.filter((outcome) => !outcome.ok && outcome.problem.code === 'unavailable').length;
  const letIn = outcomes.filter(({ ok }) => ok).length;
  assert.ok(
    letIn <= TIER_0_REQUESTS && letIn >= TIER_0_REQUESTS - late,
    `${letIn} admitted, ${late} not counted in time`,
  );
  const refused = outcomes.findLast((outcome) => !outcome.ok && outcome.problem.code === 'rate_limited');
  assert.ok(refused !== undefined && !refused.ok);
  const retryAfter = Number(refused.response.headers.get('retry-after'));
  assert.ok(retryAfter > 0 && retryAfter <= 60);
  assert.equal(refused.response.headers.get('ratelimit-policy'), `"tier-0";q=${TIER_0_REQUESTS};w=60`);
  assert.equal(refused.response.headers.get('ratelimit'), `"tier-0";r=0;t=${retryAfter}`);
  await replicas('dan')[0].getAgentConfig({ agent_id: 'dan' });
  await clientOf(urls[0], TOKENS.member).getWorld();
});

const ask = (client: TestClient): Promise<Outcome<unknown>> =>
  client.raw.completeChat({ model: 'small', messages: [{ role: 'user', content: 'Where is the mill?' }] });

/** The number of an agent's requests to models that are under way, and the outcome of its newest request. */
async function newestAsked(agentId: AgentId): Promise<readonly [number, string | undefined]> {
  const use = await play.admin.getModelUse({ agent_id: agentId });
  return [use.in_flight, use.recent[0]?.outcome];
}

/** The labels and the count of each reason for which a replica has refused requests to models. */
async function refusalsAt(metricsUrl: string): Promise<readonly string[]> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  return [...text.matchAll(/^hamlet_model_refusals_total(.*)$/gm)].map(([, line = '']) => line);
}

test('a request beyond the limit of all replicas reaches no provider, although each replica alone has counted few', async () => {
  const [one, two] = replicas('bob');
  for (let count = 1; count < TIER_0_REQUESTS / 2; count += 1)
    for (const each of [one, two]) await each.raw.listModels();
  for (const each of [one, two]) dataOf(await ask(each));
  assert.deepEqual(await newestAsked('bob'), [0, 'done']);
  const refused = await ask(two);
  assert.ok(!refused.ok);
  assert.equal(refused.problem.code, 'rate_limited');
  assert.match(refused.response.headers.get('ratelimit') ?? '', /^"tier-0";r=0;t=\d+$/);
  assert.deepEqual(await newestAsked('bob'), [0, 'rate_limited']);
  assert.deepEqual(await refusalsAt(second.metricsUrl), ['{reason="rate_limited"} 1']);
  const newest = await newestId('bob');
  for (let count = 0; count < TIER_0_REQUESTS / 2; count += 1) await two.raw.listModels();
  for (const each of [two, two]) assert.equal((await ask(each)).ok, false);
  assert.equal(await newestId('bob'), newest, 'beyond the count of this replica alone, Postgres is not asked');
  assert.deepEqual(await refusalsAt(second.metricsUrl), ['{reason="rate_limited"} 3']);
});

/** The newest request in Postgres, whether it was let in or not. */
async function newestId(agentId: AgentId): Promise<string | undefined> {
  return (await play.admin.getModelUse({ agent_id: agentId })).recent[0]?.request_id;
}

test('Postgres admits a request while Redis counts it; if Redis does not answer, no provider is asked, and Postgres not again', async (t) => {
  const redis = new Redis(village.redis.url);
  t.after(async () => {
    await redis.call('CLIENT', 'UNPAUSE');
    redis.disconnect();
  });
  await redis.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  const asked = Promise.all([1, 2, 3, 4].map(() => ask(replicas('fay')[0])));
  await eventually('an admitted request', async () => (await newestAsked('fay'))[1] === 'under_way');
  for (const outcome of await asked) assert.equal(!outcome.ok && outcome.problem.code, 'unavailable');
  assert.deepEqual(await newestAsked('fay'), [0, 'failed']);
  const held = await newestId('fay');
  const next = await ask(replicas('fay')[0]);
  assert.equal(!next.ok && next.problem.code, 'unavailable');
  assert.equal(await newestId('fay'), held, 'the request after it holds no money');
  assert.deepEqual(await refusalsAt(first.metricsUrl), ['{reason="unavailable"} 5'], 'as their callers were refused');
  await redis.call('CLIENT', 'UNPAUSE');
  await eventually('an answer', async () => (await ask(replicas('fay')[0])).ok);
});

test('an attempt to open a socket counts as a request from its address', async () => {
  const few = (await village.startReplica({ HAMLET_RATE_LIMIT: '2' })).peopleUrl;
  const open = (): Promise<IncomingMessage> =>
    new Promise((resolve) => {
      const asked = request(`${few}/ws/world`, {
        headers: {
          connection: 'upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        },
      });
      asked
        .on('upgrade', (response, socket) => resolve((socket.destroy(), response)))
        .on('response', resolve)
        .end();
    });
  assert.equal((await open()).statusCode, 101);
  assert.equal((await open()).statusCode, 101);
  const refused = await open();
  assert.equal(refused.statusCode, 429);
  assert.ok(Number(refused.headers['retry-after']) > 0);
});

test('without Redis the API refuses money and models and counts map reads per replica; with Redis, all works again', async () => {
  const [one] = replicas('eve');
  const admin = clientOf(urls[0], TOKENS.admin);
  dataOf(await reward(admin));
  await village.redis.stop();
  await eventually('money to be refused', async () => !(await reward(admin)).ok);
  const money = await reward(admin);
  assert.ok(!money.ok);
  assert.equal(money.problem.code, 'unavailable');
  assert.equal(money.response.headers.get('retry-after'), '1');
  const models = await one.raw.listModels();
  assert.ok(!models.ok);
  assert.equal(models.problem.code, 'unavailable');
  const asked = await ask(one);
  assert.equal(!asked.ok && asked.problem.code, 'unavailable');
  assert.equal(await newestId('eve'), undefined, 'Postgres is not asked');
  const map = await one.raw.getWorld();
  assert.ok(map.ok, 'the map stays readable');
  assert.match(map.response.headers.get('ratelimit') ?? '', /^"tier-0";r=\d+;t=\d+$/);
  await clientOf(urls[0]).getWorld();
  await village.redis.start();
  await eventually('money to move again', async () => (await reward(admin)).ok);
  await eventually('models to answer again', async () => (await one.raw.listModels()).ok);
});
