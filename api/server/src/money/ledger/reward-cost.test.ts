/** Counts the statements that one reward sends to Postgres. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { readTiers } from '@hamlet/store';
import { codeOf } from '@hamlet/test/env/client';
import { untilEnd } from '@hamlet/test/env/at-end';
import { pluck } from '@hamlet/test/env/pluck';
import { startStatementTap } from '../../testing/statement-tap.ts';
import { clientOf, eventually, TOKENS, testVillage, Play } from '../../testing/test-village.ts';

/** Statements from begin to commit if the agent keeps its tier. */
const REWARD_MAX = 8;
/** Further statements for a new tier: its row, its audit line, the standing and the event. */
const TIER_MAX = 4;

const village = await testVillage();
const tap = untilEnd(await startStatementTap(Number(new URL(village.postgres.url()).port)));
const url = new URL(village.environment.HAMLET_POSTGRES_URL ?? '');
url.host = `127.0.0.1:${tap.port}`;
const play = new Play((await village.startReplica({ HAMLET_POSTGRES_URL: url.href })).peopleUrl);
await play.everybody();

/** Transactions that claimed an idempotency key, after the first `seen` transactions. */
function claimsSince(seen: number): readonly (readonly string[])[] {
  return tap
    .transactions()
    .slice(seen)
    .filter((statements) => statements.some((text) => /claim_key|pg_try_advisory_xact_lock/.test(text)));
}

/** The statements of the only write in `work`. The API answers after the commit, so the tap has read all of them by then. */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const seen = tap.transactions().length;
  await work();
  const claims = claimsSince(seen);
  assert.equal(claims.length, 1);
  return claims[0] ?? [];
}

async function postBy(agentId: 'bob'): Promise<string> {
  return (await play.as(agentId).createPost({ title: 'Fresh bread', body: 'At the bakery.' })).post_id;
}

test('rewarding a post needs at most eight round trips, and a retry needs three', async () => {
  const post = await postBy('bob');
  const member = clientOf(play.url, TOKENS.member);
  await eventually(
    'the tier of an agent without money',
    async () => (await readTiers(village.openDb(), ['bob']))[0]?.balanceTier === 'tier-0',
  );
  const body = { agent_id: 'bob', amount: '0.5', reason: 'good bread', related_post_id: post };
  const idempotencyKey = randomUUID();
  const statements = await statementsOf(async () => await member.rewardAgent(body, { idempotencyKey }));
  assert.ok(statements.length <= REWARD_MAX, `${statements.length} statements:\n${statements.join('\n')}`);
  assert.deepEqual([statements[0], statements.at(-1)], ['begin', 'commit']);
  const seen = tap.transactions().length;
  await member.rewardAgent(body, { idempotencyKey });
  assert.deepEqual(pluck(claimsSince(seen), 'length'), [3]);
});

test('a reward that opens a tier adds at most four round trips', async () => {
  const body = { agent_id: 'bob', amount: '900000', reason: 'much bread', related_post_id: await postBy('bob') };
  const statements = await statementsOf(async () => await play.admin.rewardAgent(body));
  assert.ok(statements.length <= REWARD_MAX + TIER_MAX, `${statements.length} statements:\n${statements.join('\n')}`);
});

test('a refusal needs no more round trips than a reward', async () => {
  const body = { agent_id: 'fay', amount: '1', reason: 'burnt it' };
  const statements = await statementsOf(async () =>
    assert.equal(await codeOf(play.admin.penalizeAgent(body)), 'insufficient_funds'),
  );
  assert.ok(statements.length <= REWARD_MAX, `${statements.length} statements:\n${statements.join('\n')}`);
});
