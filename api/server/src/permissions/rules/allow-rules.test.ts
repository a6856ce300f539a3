/**
 * Rules that people create with an answer: the calls that they cover, their end, and that they never override a denial.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AllowRule, type AllowScope } from '@hamlet/contract';
import { type TestClient, dataOf, refuses } from '@hamlet/test/env/client';
import { firstAdmin, invite, type SignedInPerson } from '../../testing/play/people-play.ts';
import { SessionPlay } from '../../testing/play/session-play.ts';
import {
  ASKING_RULES,
  PermissionPlay,
  post,
  resultOf,
  type Working,
  startPermits,
} from '../testing/permission-play.ts';

const ALLOW = { answer: 'allow' } as const;

const { village, permits } = await startPermits({ rules: ASKING_RULES });
const { url } = permits.play;
const denying = JSON.stringify([...JSON.parse(ASKING_RULES), { tools: ['publish'], when: 'run', verdict: 'deny' }]);
const other = await village.startReplica({ HAMLET_TOOL_RULES: denying });
const [talk, strict] = [new SessionPlay(url), new PermissionPlay(other.peopleUrl)];
const grace = await firstAdmin(url);
const mia = await invite(grace, url, { name: 'Mia', role: 'member' });
const noah = await invite(grace, url, { name: 'Noah', role: 'member' });

/** Sends a message as a person, and starts its run. */
async function message(person: SignedInPerson, sessionId: string, agentId: 'ada' | 'bob' | 'cleo'): Promise<Working> {
  return permits.start(agentId, dataOf(await talk.say(person.client, sessionId, 'Post it.')).run);
}

async function asked(working: Working, callId: string): Promise<string> {
  return dataOf(await permits.ask(working, post(callId, `Bread ${callId}`))).permission.permission_id;
}

const stateOf = async (working: Working, callId: string): Promise<string> =>
  dataOf(await permits.ask(working, post(callId, `Bread ${callId}`))).permission.state;

async function allowAlways(id: string, always: AllowScope, by: TestClient): Promise<AllowRule> {
  const { rule } = dataOf(await permits.answer(id, { ...ALLOW, always }, by));
  assert.ok(rule !== null);
  return rule;
}

const rulesFor = async (client: TestClient): Promise<readonly string[]> =>
  (await client.listAllowRules()).rules.map(({ rule_id: id }) => id);

test("a rule in a conversation covers only its author's messages, until it is revoked; the audit records it", async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'ada', ['Noah']);
  const first = await message(mia, sessionId, 'ada');
  const id = await asked(first, '1.0');
  const forNoah = permits.answer(id, { ...ALLOW, always: 'conversation' }, noah.client);
  await refuses(forNoah, 'permission_not_yours');
  await refuses(permits.answer(id, { ...ALLOW, always: 'agent' }, mia.client), 'permission_not_yours');
  const denied = permits.answer(id, { answer: 'deny', always: 'conversation' }, mia.client);
  await refuses(denied, 'validation_failed');
  const rule = await allowAlways(id, 'conversation', mia.client);
  assert.deepEqual(
    [rule.tool, rule.session_id, rule.created_by.name, rule.used],
    ['post_to_board', sessionId, 'Mia', 0],
  );
  assert.deepEqual(await allowAlways(id, 'conversation', mia.client), rule, 'the same answer again');

  const { permission } = dataOf(await permits.ask(first, post('2.0', 'Bread 2')));
  assert.deepEqual(
    [permission.state, permission.answer, permission.rule_id, permission.answered_by?.name],
    ['allowed', 'allow', rule.rule_id, 'Mia'],
  );
  assert.equal(resultOf(await permits.perform(first, post('2.0', 'Another text'))), 'arguments_differ');
  assert.equal(resultOf(await permits.perform(first, post('2.0', 'Bread 2'))), 'ok');
  assert.equal(resultOf(await permits.perform(first, post('3.0', 'Bread 3'))), 'permission_needed');
  dataOf(await permits.end(first));

  const ofNoah = await message(noah, sessionId, 'ada');
  assert.equal(await stateOf(ofNoah, '1.0'), 'pending');
  dataOf(await permits.end(ofNoah));
  const elsewhere = await talk.open(mia.client, 'ada');
  const other = await message(mia, elsewhere.session_id, 'ada');
  assert.equal(await stateOf(other, '1.0'), 'pending');
  dataOf(await permits.end(other));

  assert.deepEqual([await rulesFor(mia.client), await rulesFor(noah.client)], [[rule.rule_id], [rule.rule_id]]);
  const params = { rule_id: rule.rule_id };
  await refuses(noah.client.revokeAllowRule(params), 'allow_rule_not_yours');
  const revoked = (await mia.client.revokeAllowRule(params)).rule;
  assert.deepEqual([revoked.used, revoked.revoked_by?.role, await rulesFor(mia.client)], [1, 'member', []]);
  const after_ = await message(mia, sessionId, 'ada');
  assert.equal(await stateOf(after_, '1.0'), 'pending');
  const { records } = await grace.client.listAudit({ object: 'ada', limit: 100 });
  const acts = records
    .filter(({ detail }) => JSON.stringify(detail).includes(rule.rule_id))
    .map(({ action }) => action);
  assert.deepEqual(acts.toReversed(), ['allow_rule.give', 'permission.allow', 'allow_rule.revoke']);
});

test('only an admin can create a rule for an agent; it covers all runs, but never overrides a denial', async () => {
  const first = await permits.startRun('bob', mia.client);
  const id = await asked(first, '1.0');
  const inNone = permits.answer(id, { ...ALLOW, always: 'conversation' }, mia.client);
  await refuses(inNone, 'validation_failed');
  const rule = await allowAlways(id, 'agent', grace.client);
  assert.equal(rule.session_id, null);
  assert.deepEqual([await stateOf(first, '2.0'), await rulesFor(noah.client)], ['allowed', [rule.rule_id]]);
  dataOf(await permits.end(first));
  const second = await permits.startRun('bob', noah.client);
  assert.equal(await stateOf(second, '1.0'), 'allowed');
  await refuses(strict.ask(second, post('5.0')), 'policy_denied');
  assert.equal(resultOf(await strict.perform(second, post('1.0', 'Bread 1.0'))), 'denied policy_denied');
  const question = { tool: 'ask_human', callId: '6.0', args: { question: 'Which bread?' } };
  assert.equal(dataOf(await permits.ask(second, question, { why: 'question' })).permission.state, 'pending');
  assert.equal(dataOf(await permits.ask(second, post('7.0'), { why: 'unknown' })).permission.state, 'pending');
  const { runId, cycle, attempt } = second;
  const body = { cycle, attempt, call_id: '8.0', request: 'x', tool: 'buy', arguments: '{}', why: 'policy' } as const;
  const buy = await permits.play.as('bob').askPermission({ run_id: runId, ...body });
  assert.equal(buy.permission.state, 'pending', 'it covers only its tool');
  const gone = { rule_id: '01890000-0000-7000-8000-000000000000' };
  await refuses(grace.client.revokeAllowRule(gone), 'no_such_allow_rule');
  const paged = grace.client.raw.listAllowRules({ cursor: 'nonsense' });
  await refuses(paged, 'cursor_invalid');
});

test("a rule spends from its author's allowance: a more expensive call waits for a person", async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'cleo');
  const working = await message(mia, sessionId, 'cleo');
  const AUCTION = '01890000-0000-7000-8000-000000000000';
  const bid = (callId: string, amount: string) =>
    permits.ask(working, { tool: 'bid', callId, args: { auction_id: AUCTION, amount } });
  const { permission } = dataOf(await bid('1.0', '1'));
  await allowAlways(permission.permission_id, 'conversation', mia.client);
  assert.equal(dataOf(await bid('2.0', '1')).permission.state, 'allowed');
  assert.equal(dataOf(await bid('3.0', '1000')).permission.state, 'pending');
});

test('the rules of a person who was removed from a session no longer apply', async () => {
  const { session_id: sessionId } = await talk.open(noah.client, 'ada', ['Mia']);
  const working = await message(mia, sessionId, 'ada');
  await allowAlways(await asked(working, '1.0'), 'conversation', mia.client);
  const pending = dataOf(
    await permits.ask(working, { tool: 'close_post', callId: '2.0', args: { post_id: sessionId } }),
  );
  await noah.client.removeSessionPerson({ session_id: sessionId, person_id: `account ${mia.accountId}` });
  assert.equal(await stateOf(working, '3.0'), 'pending');
  const answer = permits.answer(pending.permission.permission_id, ALLOW, mia.client);
  await refuses(answer, 'permission_not_yours');
});
