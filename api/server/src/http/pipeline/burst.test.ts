/** Many concurrent requests share lookups and answers. No caller gets another caller's data or stale data. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awakenAgent, suspendAgent, WorldView } from '@hamlet/contract';
import { codeOf, testClient, type TestClient, dataOf, refusalOf } from '@hamlet/test/env/client';
import { firstAdmin, invite } from '../../testing/play/people-play.ts';
import { AGENT_IDS, agentToken, clientOf, TOKENS, startPlay } from '../../testing/test-village.ts';

const { play } = await startPlay();

/** An agent's client with an exchanged token, as a resident has. */
async function exchanged(agentId: (typeof AGENT_IDS)[number]): Promise<TestClient> {
  const { access_token: token } = await clientOf(play.url, agentToken(agentId)).exchangeAgentToken();
  return clientOf(play.url, token);
}

test('each of many concurrent agent requests gets its own actor, with either kind of token; invalid tokens are refused', async () => {
  const residents = await Promise.all(AGENT_IDS.map(exchanged));
  const asked = AGENT_IDS.flatMap((agentId, index) =>
    [play.as(agentId), residents[index] ?? play.as(agentId)].flatMap((client) =>
      AGENT_IDS.map(async (of) => {
        const outcome = await client.raw.getAgentConfig({ agent_id: of });
        if (of === agentId) assert.equal(dataOf(outcome).agent_id, agentId);
        else assert.equal(refusalOf(outcome), 'not_own_agent');
      }),
    ),
  );
  const invalid = ['nonsense', 'hat_nonsense'].map(async (token) =>
    assert.equal(await codeOf(clientOf(play.url, token).getWorld()), 'token_invalid'),
  );
  await Promise.all([...asked, ...invalid]);
});

test('each of many concurrent requests of people gets its own account', async () => {
  const grace = await firstAdmin(play.url);
  const people = [
    grace,
    await invite(grace, play.url, { name: 'Hedy', role: 'member' }),
    await invite(grace, play.url, { name: 'Ida', role: 'member' }),
  ];
  const invalid = {
    accountId: null,
    client: testClient({ baseUrl: play.url, cookie: '__Host-hamlet_session=nonsense' }),
  };
  await Promise.all(
    [...people, invalid, ...people].map(async ({ client, accountId }) => {
      const outcome = await client.raw.getMe();
      if (accountId === null) assert.equal(refusalOf(outcome), 'unauthenticated');
      else assert.equal(dataOf(outcome).account.account_id, accountId);
    }),
  );
});

/** Requests the world as fast as possible until the abort, so that a fresh shared answer always exists. */
async function gaze(until: AbortSignal): Promise<void> {
  while (!until.aborted) await (await fetch(`${play.url}/world`)).text();
}

test('among many readers of the world, a new request sees every act that the API confirmed before it', async () => {
  const stopping = new AbortController();
  const gazing = Promise.all(Array.from({ length: 4 }, () => gaze(stopping.signal)));
  try {
    for (let number = 0; number < 20; number += 1) {
      const text = `word ${number}`;
      const said = dataOf(await play.act('bob', { kind: 'talk', text }));
      const world = await play.world();
      assert.equal(world.agents.find(({ agent_id }) => agent_id === 'bob')?.speech?.text, text);
      assert.ok(world.seq >= said.accepted_seq);
    }
    for (const { lifecycle, power } of [
      { lifecycle: suspendAgent, power: 'Asleep' },
      { lifecycle: awakenAgent, power: 'Awake' },
    ] as const) {
      dataOf(await play.admin.call(lifecycle, { params: { agent_id: 'cleo' } }));
      assert.equal((await play.world()).agents.find(({ agent_id }) => agent_id === 'cleo')?.power, power);
    }
  } finally {
    stopping.abort();
    await gazing;
  }
});

test('all callers get the same world; each one is admitted, counted and traced separately', async () => {
  const askers = [
    { token: undefined, policy: /^"address";/ },
    { token: TOKENS.member, policy: /^"actor";/ },
    { token: TOKENS.admin, policy: /^"actor";/ },
    { token: agentToken('ada'), policy: /^"tier-1";/ },
    { token: agentToken('dan'), policy: /^"tier-0";/ },
  ];
  const answers = await Promise.all(
    [...askers, ...askers, ...askers].map(async ({ token, policy }) => {
      const response = await fetch(
        `${play.url}/api/v1/world`,
        token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
      );
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.match(response.headers.get('ratelimit-policy') ?? '', policy);
      return {
        policy,
        id: response.headers.get('x-request-id'),
        trace: response.headers.get('traceparent'),
        left: response.headers.get('ratelimit'),
        text: await response.text(),
      };
    }),
  );
  assert.equal(new Set(answers.map(({ id }) => id)).size, answers.length);
  assert.equal(new Set(answers.map(({ trace }) => trace)).size, answers.length);
  for (const { token, policy } of askers) {
    if (token !== undefined)
      assert.ok(
        new Set(answers.filter((each) => each.policy === policy).map(({ left }) => left)).size >= 3,
        'each request is counted',
      );
  }
  const bodies = answers.map(({ text }) => ({ text, world: WorldView.parse(JSON.parse(text)) }));
  const moments = Map.groupBy(bodies, ({ world }) => `${world.tick}/${world.seq}`);
  for (const [moment, batch] of moments) assert.equal(new Set(batch.map(({ text }) => text)).size, 1, moment);
});

test('an agent that was just banned does not get the cached world; all other callers do', async () => {
  const params = { agent_id: 'eve' };
  const asEve = (): Promise<readonly (string | null)[]> =>
    Promise.all(Array.from({ length: 5 }, async () => await codeOf(play.as('eve').getWorld())));
  assert.deepEqual(new Set(await asEve()), new Set([null]));
  await play.admin.banAgent({ ...params, reason: 'a test' });
  const [refused, seen] = await Promise.all([asEve(), clientOf(play.url).raw.getWorld()]);
  assert.deepEqual(new Set(refused), new Set(['agent_banned']));
  assert.equal(refusalOf(seen), null);
  await play.admin.liftBan(params);
  assert.deepEqual(new Set(await asEve()), new Set([null]));
});
