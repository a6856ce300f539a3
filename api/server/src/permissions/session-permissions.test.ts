/** Permissions of a run in a session: the session's people see and answer them, others cannot. A message answers only a question. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { inTransaction, lockChatSession } from '@hamlet/store';
import { until } from '@hamlet/test/env/until';
import { firstAdmin, invite, type SignedInPerson } from '../testing/play/people-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { ASKING_RULES, post, resultOf, startPermits } from './testing/permission-play.ts';

const { village, permits } = await startPermits({ rules: ASKING_RULES });
const db = village.openDb();
const { url } = permits.play;
const talk = new SessionPlay(url);
const grace = await firstAdmin(url);
const mia = await invite(grace, url, { name: 'Mia', role: 'member' });
const noah = await invite(grace, url, { name: 'Noah', role: 'member' });
const zoe = await invite(grace, url, { name: 'Zoe', role: 'member' });

test('people of a session answer its permissions; a message that says allow has no effect', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'ada', ['Noah']);
  const { run } = dataOf(await talk.say(mia.client, sessionId, 'Post that the bread is ready.'));
  const working = await permits.start('ada', run);
  const { permission } = dataOf(await permits.ask(working, post('1.0', 'Bread is ready')));
  assert.equal(permission.session_id, sessionId);
  const { runId, cycle, attempt } = working;
  const waiting = await talk.play.as('ada').waitRun({ run_id: runId, cycle, attempt });
  assert.equal(waiting.run.state, 'waiting_permission');

  for (const person of [mia, noah])
    dataOf(await talk.say(person.client, sessionId, `allow ${permission.permission_id}`));
  assert.equal((await talk.get(runId)).state, 'waiting_permission');

  const seenBy = async ({ client }: SignedInPerson) =>
    (await client.listPermissions({ session_id: sessionId, state: 'pending' })).permissions.length;
  assert.deepEqual([await seenBy(mia), await seenBy(noah), await seenBy(zoe)], [1, 1, 0]);
  const allow = { answer: 'allow' } as const;
  await refuses(permits.answer(permission.permission_id, allow, zoe.client), 'permission_not_yours');
  const answered = dataOf(await permits.answer(permission.permission_id, allow, noah.client)).permission;
  assert.deepEqual([answered.answered_by?.name, answered.session_id], ['Noah', sessionId]);

  const again = await permits.start('ada', run);
  assert.equal(resultOf(await permits.perform(again, post('1.0', 'Bread is ready'))), 'ok');
});

test('a message written while the agent asks answers its question, in the transcript once, and begins no run', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'bob', ['Noah']);
  const { run } = dataOf(await talk.say(mia.client, sessionId, 'Paint the door.'));
  const working = await permits.start('bob', run);
  const ask = { tool: 'ask_human', callId: '1.0', args: { question: 'Which colour?' } };
  const { permission } = dataOf(await permits.ask(working, ask, { why: 'question' }));
  const { permission: spending } = dataOf(await permits.ask(working, post('2.0', 'The door')));
  const { runId, cycle, attempt } = working;
  await talk.play.as('bob').waitRun({ run_id: runId, cycle, attempt });
  await refuses(zoe.client.raw.sendMessage({ session_id: sessionId, text: 'Red' }), 'no_such_session');

  const said = dataOf(await noah.client.raw.sendMessage({ session_id: sessionId, text: 'Green, please' }));
  assert.deepEqual([said.answers, said.run.run_id], [permission.permission_id, runId]);
  assert.deepEqual([said.message.state, said.message.run_id], ['answered', null]);
  const of = async (id: string) =>
    (await noah.client.listPermissions({ run_id: runId })).permissions.find((each) => each.permission_id === id);
  const answered = await of(permission.permission_id);
  assert.deepEqual(
    [answered?.state, answered?.reply, answered?.answered_by?.name],
    ['allowed', 'Green, please', 'Noah'],
  );
  assert.equal((await of(spending.permission_id))?.state, 'pending', 'words never answer a permission');
  const { messages } = await noah.client.listMessages({ session_id: sessionId });
  assert.deepEqual(
    messages.map(({ text, author }) => [author.name, text]),
    [
      ['Noah', 'Green, please'],
      ['Mia', 'Paint the door.'],
    ],
  );

  const next = dataOf(await noah.client.raw.sendMessage({ session_id: sessionId, text: 'allow' }));
  assert.deepEqual([next.answers, next.message.state], [null, 'queued']);
  assert.equal((await of(spending.permission_id))?.state, 'pending');
});

test('a message with a safe mode, and one longer than an answer, begin work of their own', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'cleo', []);
  const { run } = dataOf(await talk.say(mia.client, sessionId, 'Paint the door.'));
  const working = await permits.start('cleo', run);
  const ask = { tool: 'ask_human', callId: '1.0', args: { question: 'Which colour?' } };
  dataOf(await permits.ask(working, ask, { why: 'question' }));
  const send = async (more: { text: string; safe_mode?: 'dry_run' }) =>
    dataOf(await mia.client.raw.sendMessage({ session_id: sessionId, ...more })).answers;
  assert.equal(await send({ text: 'Look only', safe_mode: 'dry_run' }), null);
  assert.equal(await send({ text: 'x'.repeat(8_001) }), null);
  const late = await inTransaction(db, async (tx) => {
    await lockChatSession(tx, sessionId);
    const sent = send({ text: 'Blue' });
    await until('the message waits for its session', () =>
      db
        .withTables<{ pg_locks: { locktype: string; granted: boolean } }>()
        .selectFrom('pg_locks')
        .select('locktype')
        .where('locktype', '=', 'advisory')
        .where('granted', '=', false)
        .executeTakeFirst(),
    );
    // An end of the session takes its name first, and then locks its runs.
    const runs = tx.selectFrom('run').select('run_id').where('run_id', '=', run.run_id);
    assert.equal((await runs.forNoKeyUpdate().skipLocked().execute()).length, 1);
    return { sent };
  });
  assert.notEqual(await late.sent, null);
});

test('the requests and questions of a conversation wait for its people and for admins', async () => {
  const kindsOf = async ({ client }: SignedInPerson) =>
    (await client.listMyNeeds()).needs.map(({ kind }) => kind).toSorted();
  const before = await kindsOf(mia);
  const admins = await kindsOf(grace);
  const { session_id: sessionId } = await talk.open(mia.client, 'dan', []);
  const { run } = dataOf(await talk.say(mia.client, sessionId, 'Paint the door.'));
  const working = await permits.start('dan', run);
  const ask = { tool: 'ask_human', callId: '1.0', args: { question: 'Which colour?' } };
  dataOf(await permits.ask(working, ask, { why: 'question' }));
  dataOf(await permits.ask(working, post('2.0', 'The door')));
  assert.deepEqual(await kindsOf(mia), [...before, 'permission', 'question'].toSorted());
  assert.deepEqual(await kindsOf(grace), [...admins, 'permission', 'question'].toSorted(), 'admins answer for all');
  assert.deepEqual(await kindsOf(zoe), []);
});
