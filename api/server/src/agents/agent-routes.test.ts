/** Agents, their lifecycle and their turns over HTTP, on a real Postgres and Redis. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { readAudit, openDatabase } from '@hamlet/store';
import { refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { AGENT_IDS, clientOf, eventually, TOKENS, startPlay } from '../testing/test-village.ts';

const { village, play } = await startPlay();
const { admin } = play;

const of = (agentId: string) => ({ agent_id: agentId });

test('the list shows each agent with its tier, node, cycle and the reason of its state', async () => {
  const { agents } = await admin.listAgents();
  assert.deepEqual(agents.map((agent) => agent.agent_id).toSorted(), [...AGENT_IDS]);
  const ada = await play.agent('ada');
  assert.equal(ada.tier, 'tier-1');
  assert.equal(ada.entitlement.policy, 'Pinned');
  assert.ok((ada.entitlement.limits?.requests_per_minute ?? 0) > 0);
  assert.match(ada.home, /^home-/);
  assert.deepEqual(ada.why, {
    ready: false,
    reason: 'NotConnected',
    message: 'The resident has not reached the API yet.',
  });
  assert.deepEqual(ada.status, { online: false, last_seen: null, health: 'unreachable' });
});

test('a list without personas has all other fields', async () => {
  const [whole, brief] = [await admin.listAgents(), await admin.listAgents({ persona: 'omit' })];
  assert.ok(whole.agents.every(({ persona }) => persona !== null));
  assert.ok(brief.agents.every(({ persona }) => persona === null));
  const stable = ({ uid, tier, entitlement, why }: (typeof whole.agents)[number]): unknown => ({
    uid,
    tier,
    entitlement,
    why,
  });
  assert.deepEqual(brief.agents.map(stable), whole.agents.map(stable));
});

test('sleep and wake each raise the cycle once and show in the world; repeating them changes nothing', async () => {
  const before = await play.agent('bob');
  const asleep = await admin.suspendAgent(of('bob'));
  assert.deepEqual(asleep, { agent_id: 'bob', power: 'Asleep', cycle: before.cycle + 1, changed: true });
  await eventually(
    'bob asleep on the map',
    async () => (await play.world()).agents.find((agent) => agent.agent_id === 'bob')?.activity === 'sleeping',
  );
  assert.deepEqual(await admin.suspendAgent(of('bob')), { ...asleep, changed: false });
  const sleeping = await play.agent('bob');
  assert.equal(sleeping.power, 'Asleep');
  assert.equal(sleeping.why.reason, 'Asleep');
  assert.equal(sleeping.status.health, 'asleep');
  const awake = await admin.awakenAgent(of('bob'));
  assert.deepEqual(awake, { agent_id: 'bob', power: 'Awake', cycle: before.cycle + 2, changed: true });
  assert.equal((await admin.awakenAgent(of('bob'))).changed, false);
  assert.equal((await play.agent('bob')).home, before.home);
});

test('a reboot raises the cycle of an awake agent and is refused for a sleeping one', async () => {
  const { cycle } = await play.agent('cleo');
  assert.equal((await admin.rebootAgent(of('cleo'))).cycle, cycle + 1);
  await admin.suspendAgent(of('cleo'));
  await refuses(admin.rebootAgent(of('cleo')), 'reboot_while_asleep');
  assert.equal((await play.agent('cleo')).cycle, cycle + 2);
});

test('every agent route refuses an unknown agent', async () => {
  for (const route of ['getAgent', 'awakenAgent', 'suspendAgent', 'rebootAgent', 'listTurns'] as const)
    await refuses(admin[route](of('nobody')), 'no_such_agent', route);
});

test('the audit records acts on an agent, with their actor and request', async () => {
  const done = await admin.raw.rebootAgent(of('dan'));
  const db = openDatabase({ url: village.postgres.url(), poolSize: 1, onError: () => undefined });
  const [entry] = await readAudit(db, 'dan', 1);
  await db.destroy();
  assert.equal(entry?.action, 'reboot');
  assert.equal(entry.actorId, 'key admin');
  assert.equal(entry.requestId, done.response.headers.get('x-request-id'));
  assert.equal(entry.traceparent, done.response.headers.get('traceparent'));
});

test('turns are stored and listed in pages, newest first; a cursor is valid for one agent only', async () => {
  const { cycle } = await play.agent('eve');
  const ids: string[] = [];
  for (let number = 0; number < 5; number += 1) {
    const turn = {
      turn_id: randomUUID(),
      cycle,
      trigger: 'tick' as const,
      perceived: { number },
      decided: { why: 'because' },
      acted: {},
      reflected: {},
    };
    await play.as('eve').recordTurn({ ...of('eve'), ...turn });
    ids.unshift(turn.turn_id);
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await clientOf(play.url, TOKENS.member).listTurns({
      ...of('eve'),
      limit: 2,
      ...(cursor === undefined ? {} : { cursor }),
    });
    seen.push(...page.turns.map((turn) => turn.turn_id));
    cursor = page.next_cursor ?? undefined;
    await refuses(admin.listTurns({ ...of('ada'), cursor: cursor ?? 'bm9uc2Vuc2U' }), 'cursor_invalid');
  } while (cursor !== undefined);
  assert.deepEqual(seen, ids);
});

test('tiers are listed from the lowest, with limits, prices and the number of agents', async () => {
  const { entitlements } = await clientOf(play.url).listEntitlements();
  assert.deepEqual(pluck(entitlements, 'name'), ['tier-0', 'tier-1', 'tier-2']);
  const [lowest, middle, highest] = entitlements;
  assert.deepEqual(
    [middle?.min_balance, middle?.price, middle?.compute.memory, middle?.agents],
    ['10', { per_hour: '0.05', per_thousand_tokens: '0.002' }, '512Mi', 1],
  );
  assert.deepEqual(
    [lowest?.agents, lowest?.seats],
    [AGENT_IDS.length - 1, null],
    'without a cluster, no operator counts seats',
  );
  assert.deepEqual(highest?.compute.gpu.mode, 'Shared');
  const ada = await play.agent('ada');
  assert.deepEqual([ada.tier, ada.entitlement.price], ['tier-1', middle?.price]);
});
