/** Rewards, penalties, balances and the ledger over HTTP, on a real Postgres and Redis. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { formatAiDollars, getBalance, getLedger, parseAiDollars, penalizeAgent, rewardAgent } from '@hamlet/contract';
import { openDatabase, readAudit } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { assertBooks } from '../testing/purse-play.ts';
import { clientOf, eventually, TOKENS, type AgentId, startPlay } from '../../testing/test-village.ts';

const { village, play } = await startPlay();
const { admin, member } = play;
const db = village.openDb();

/** A post that people can reward or penalize. */
async function postBy(agentId: AgentId): Promise<string> {
  return (await play.as(agentId).createPost({ title: 'Fresh bread', body: 'At the bakery.' })).post_id;
}

const balanceOf = async (agentId: string): Promise<string> => (await admin.getBalance({ agent_id: agentId })).balance;
const entriesOf = async (agentId: string) => (await admin.getLedger({ agent_id: agentId, limit: 100 })).entries;

test('a reward is an entry in the wire format; the balance and the agent show it at once', async () => {
  const post = await postBy('bob');
  const done = await admin.raw.rewardAgent({
    agent_id: 'bob',
    amount: '12.5',
    reason: ' kept the oven warm ',
    related_post_id: post,
  });
  assert.equal(done.response.status, 201);
  const entry = dataOf(done);
  assert.match(entry.ledger_entry_id, /^[0-9a-f-]{36}$/);
  assert.ok(Math.abs(Date.parse(entry.timestamp) - Date.now()) < 60_000);
  const { ledger_entry_id, timestamp, ...rest } = entry;
  assert.deepEqual(rest, {
    agent_id: 'bob',
    amount: '12.5',
    currency: 'aiDollar',
    reason: 'reward',
    source: 'key admin',
    related_post_id: post,
    note: 'kept the oven warm',
    version: 1,
    balance_after: '12.5',
  });
  assert.deepEqual(await entriesOf('bob'), [{ ledger_entry_id, timestamp, ...rest }]);
  const { as_of, ...funds } = await clientOf(play.url).getBalance({ agent_id: 'bob' });
  assert.deepEqual(funds, { agent_id: 'bob', balance: '12.5', held: '0', available: '12.5' });
  assert.ok(as_of >= timestamp);
  assert.equal((await admin.getAgent({ agent_id: 'bob' })).balance, '12.5');
});

test('the API also accepts the names of the original documents: post_id, and a whole number', async () => {
  const post = await postBy('cleo');
  const entry = await admin.rewardAgent({ agent_id: 'cleo', amount: 5, reason: 'help', post_id: post });
  assert.deepEqual([entry.amount, entry.related_post_id], ['5', post]);
  const both = { agent_id: 'cleo', amount: 5, reason: 'help', post_id: post, related_post_id: randomUUID() };
  await refuses(admin.rewardAgent(both), 'validation_failed');
  for (const amount of [0, -1, 0.1, '0', '-5', '1e3', '0.0000001', '1000000001', ''])
    await refuses(admin.rewardAgent({ agent_id: 'cleo', amount, reason: 'help' }), 'validation_failed', String(amount));
  await refuses(admin.rewardAgent({ agent_id: 'cleo', amount: 1, reason: '  ' }), 'validation_failed');
  assert.equal(await balanceOf('cleo'), '5');
});

test('a penalty takes exactly its amount; if the agent has too little, the refusal names the possible amount', async () => {
  await admin.rewardAgent({ agent_id: 'dan', amount: '3', reason: 'bread' });
  const entry = await admin.penalizeAgent({ agent_id: 'dan', amount: '1.25', reason: 'burnt it' });
  assert.deepEqual([entry.amount, entry.reason, entry.balance_after], ['-1.25', 'penalty', '1.75']);
  const penalty = { agent_id: 'dan', amount: '1.750001', reason: 'all of it' };
  await refuses(admin.penalizeAgent(penalty), 'insufficient_funds', /1\.75/);
  await admin.penalizeAgent({ agent_id: 'dan', amount: '1.75', reason: 'all of it' });
  assert.equal(await balanceOf('dan'), '0');
  assert.deepEqual(
    (await entriesOf('dan')).map(({ amount, version }) => [version, amount]),
    [
      [3, '-1.75'],
      [2, '-1.25'],
      [1, '3'],
    ],
  );
});

test('a member gives and takes within the allowance of the day, even with many concurrent requests', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      member.call(index % 3 === 0 ? penalizeAgent : rewardAgent, {
        body: { agent_id: 'bob', amount: 1, reason: `judgement ${index}` },
      }),
    ),
  );
  const done = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.data] : []));
  assert.equal(done.length, 10);
  for (const outcome of outcomes) if (!outcome.ok) assert.equal(outcome.problem.code, 'allowance_exceeded');
  const given = done.reduce((sum, { amount }) => sum + parseAiDollars(amount), 0n);
  assert.equal(await balanceOf('bob'), formatAiDollars(12_500_000n + given), 'a refusal moves no money');
  const reward = member.rewardAgent({ agent_id: 'bob', amount: '0.000001', reason: 'one more' });
  await refuses(reward, 'allowance_exceeded', /^0 aiDollars are left of today's allowance of 10$/);
  await admin.rewardAgent({ agent_id: 'bob', amount: 100, reason: 'an admin has no allowance' });
});

test('a member can read the rest of the allowance and the start of the next day', async () => {
  const { resets_at: resets, ...left } = await member.getAllowance();
  assert.deepEqual(left, { daily: '10', used: '10', left: '0' });
  assert.ok(Date.parse(resets) > Date.now() && Date.parse(resets) < Date.now() + 26 * 3_600_000);
  const ofAdmin = await admin.getAllowance();
  assert.deepEqual([ofAdmin.daily, Number(ofAdmin.used) + Number(ofAdmin.left)], ['1000000', 1_000_000]);
});

test('a retry gets the first answer, even after the stored answers are deleted; another request with the key is refused', async () => {
  const body = { agent_id: 'eve', amount: '2', reason: 'once' };
  const idempotencyKey = randomUUID();
  const first = await admin.rewardAgent(body, { idempotencyKey });
  assert.deepEqual(await admin.rewardAgent({ ...body, amount: 2 }, { idempotencyKey }), first);
  const owner = openDatabase({ url: village.postgres.url(), poolSize: 1, onError: () => undefined });
  await owner.deleteFrom('idempotency_key').execute();
  await owner.destroy();
  assert.deepEqual(await admin.rewardAgent(body, { idempotencyKey }), first);
  await db.deleteFrom('idempotency_key').execute();
  await refuses(admin.rewardAgent({ ...body, amount: '3' }, { idempotencyKey }), 'idempotency_key_reused');
  assert.equal(await balanceOf('eve'), '2');
  assert.equal((await entriesOf('eve')).length, 1);
});

test('many concurrent retries post each reward once', async () => {
  const keys = Array.from({ length: 25 }, () => randomUUID());
  const before = parseAiDollars(await balanceOf('eve'));
  const answers = new Map<string, Set<string>>(keys.map((key) => [key, new Set()]));
  await Promise.all(
    [...keys, ...keys, ...keys, ...keys].map(async (idempotencyKey) => {
      const entry = await eventually('an answer', async () => {
        const outcome = await admin.raw.rewardAgent(
          { agent_id: 'eve', amount: '0.01', reason: 'storm' },
          { idempotencyKey },
        );
        if (!outcome.ok) assert.equal(outcome.problem.code, 'idempotency_in_flight');
        return outcome.ok && outcome.data;
      });
      answers.get(idempotencyKey)?.add(entry.ledger_entry_id);
    }),
  );
  assert.deepEqual(
    pluck([...answers.values()], 'size'),
    keys.map(() => 1),
  );
  assert.equal(await balanceOf('eve'), formatAiDollars(before + 250_000n));
});

test('the ledger is listed in pages, newest first; every page shows the moment of the first', async () => {
  for (const amount of ['1', '2', '3', '4', '5']) await admin.rewardAgent({ agent_id: 'fay', amount, reason: 'step' });
  const first = await admin.getLedger({ agent_id: 'fay', limit: 2 });
  await admin.rewardAgent({ agent_id: 'fay', amount: '6', reason: 'later' });
  const seen = [...first.entries];
  for (let cursor = first.next_cursor; cursor !== null;) {
    const page = await admin.getLedger({ agent_id: 'fay', limit: 2, cursor });
    assert.equal(page.as_of, first.as_of);
    seen.push(...page.entries);
    cursor = page.next_cursor;
  }
  assert.deepEqual(pluck(seen, 'amount'), ['5', '4', '3', '2', '1']);
  for (const [cursor, agentId] of [
    [first.next_cursor ?? '', 'bob'],
    ['bm9uc2Vuc2U', 'fay'],
  ] as const)
    await refuses(admin.getLedger({ agent_id: agentId, cursor }), 'cursor_invalid');
});

test('the answer for a past moment never changes', async () => {
  const entries = await entriesOf('fay');
  for (const { timestamp, balance_after } of entries) {
    const funds = await admin.getBalance({ agent_id: 'fay', as_of: timestamp });
    assert.deepEqual([funds.balance, funds.as_of], [balance_after, timestamp]);
    const page = await admin.getLedger({ agent_id: 'fay', as_of: timestamp, limit: 100 });
    assert.equal(page.entries[0]?.timestamp, timestamp);
  }
  const future = await admin.getBalance({ agent_id: 'fay', as_of: '2999-01-01T00:00:00Z' });
  assert.ok(Date.parse(future.as_of) <= Date.now() + 60_000, 'a future moment is answered with the present one');
  assert.equal((await admin.getBalance({ agent_id: 'fay', as_of: '2001-01-01T00:00:00Z' })).balance, '0');
});

test('an unknown agent has no account', async () => {
  for (const route of [getBalance, getLedger])
    await refuses(admin.call(route, { params: { agent_id: 'nobody' } }), 'no_such_agent');
  for (const route of [rewardAgent, penalizeAgent])
    await refuses(admin.call(route, { body: { agent_id: 'nobody', amount: 1, reason: 'x' } }), 'no_such_agent');
});

test('the audit records each reward and penalty with its entry and request; the entry has its trace', async () => {
  const done = await admin.raw.rewardAgent({ agent_id: 'cleo', amount: 1, reason: 'seen' });
  const [audit] = await readAudit(db, 'cleo', 1);
  assert.deepEqual(
    [audit?.action, audit?.actorId, audit?.requestId],
    ['reward', 'key admin', done.response.headers.get('x-request-id')],
  );
  assert.ok(audit !== undefined);
  assert.equal((audit.detail as { ledger_entry_id: string }).ledger_entry_id, dataOf(done).ledger_entry_id);
});

test('the account closes with the last life, and its balance can still be read', async () => {
  const { uid } = await play.agent('cleo');
  const held = await balanceOf('cleo');
  await clientOf(play.url, TOKENS.operator).closeAgent({ agent_id: 'cleo', uid });
  await refuses(admin.rewardAgent({ agent_id: 'cleo', amount: 1, reason: 'too late' }), 'account_closed');
  await refuses(admin.penalizeAgent({ agent_id: 'cleo', amount: 1, reason: 'too late' }), 'account_closed');
  assert.equal(await balanceOf('cleo'), held);
});

test('the books violate no rule', async () => {
  await assertBooks(db);
});
