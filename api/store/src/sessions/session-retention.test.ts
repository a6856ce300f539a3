/** The retention of sessions on a real Postgres, with all that belongs to them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { sql } from 'kysely';
import { pluck } from '@hamlet/test/env/pluck';
import { inTransaction } from '../connection/database.ts';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { insertRuns } from '../runs/new-runs.ts';
import { insertMessage, setMessageState } from './messages.ts';
import { findChatSession, readMessages } from './read-sessions.ts';
import { forgetSessionEvents, readSessionEvents, SESSION_EVENTS_KEPT, sessionEventRange } from './session-events.ts';
import {
  deleteForgottenChats,
  forgetChat,
  FORGOTTEN_SESSIONS_KEPT_DAYS,
  readChatsToForget,
} from './forget-sessions.ts';
import { insertChatSession, setTerminated } from './write-session.ts';

const ledger = await testLedger(2);
const db = ledger.db;

const MIA = { id: 'account mia', name: 'Mia' };

async function newSession(): Promise<{ readonly sessionId: string; readonly runId: string }> {
  return inTransaction(db, async (tx) => {
    const by = { role: 'member', id: MIA.id } as const;
    const made = { agentId: 'ada', title: null, repository: null, by, people: [MIA] };
    const { sessionId } = await insertChatSession(tx, made);
    const given = { agentId: 'ada', agentUid: 'uid', prompt: 'Hello', createdByRole: 'member', createdById: MIA.id };
    const [run] = await insertRuns(tx, [{ ...given, kind: 'message', schedule: null, sessionId }]);
    assert.ok(run);
    const message = { sessionId, author: { ...MIA, role: 'member' }, text: 'Hello', runId: run.runId } as const;
    const { messageId } = await insertMessage(
      tx,
      { ...message, state: 'queued', inReplyTo: null, cost: null },
      'Hello',
    );
    assert.ok(messageId !== '');
    return { sessionId, runId: run.runId };
  });
}

const cancel = (runId: string) =>
  db
    .updateTable('run')
    .set({ state: 'cancelled', ended_at: sql<Date>`clock_timestamp()` })
    .where('run_id', '=', runId)
    .execute();
const countRuns = async (sessionId: string): Promise<number> =>
  (await db.selectFrom('run').select('run_id').where('session_id', '=', sessionId).execute()).length;

test('the texts of an ended session are deleted after its retention time, once no run is under way; its rows stay for a year', async () => {
  const ended = await newSession();
  const recent = await newSession();
  const open = await newSession();
  for (const { sessionId } of [ended, recent]) await inTransaction(db, (tx) => setTerminated(tx, sessionId));
  await ledger.owner
    .updateTable('session')
    .set({ terminated_at: new Date(Date.now() - 31 * 86_400_000) })
    .where('session_id', '=', ended.sessionId)
    .execute();
  assert.deepEqual(await readChatsToForget(db, 30), []);
  await cancel(ended.runId);
  assert.deepEqual(await readChatsToForget(db, 32), []);
  assert.deepEqual(await readChatsToForget(db, 30), [ended.sessionId]);
  const forget = (sessionId: string) => inTransaction(db, (tx) => forgetChat(tx, sessionId));
  const forgotten = await forget(ended.sessionId);
  const transcript = `${ended.sessionId}\n1 ${MIA.id} Hello`;
  assert.deepEqual(forgotten, {
    agentId: 'ada',
    messages: 1,
    transcriptHash: createHash('sha256').update(transcript).digest('hex'),
  });
  assert.deepEqual([await forget(ended.sessionId), await forget(open.sessionId)], [null, null]);
  const kept = await findChatSession(db, ended.sessionId);
  assert.deepEqual([kept?.title, kept?.people, await countRuns(ended.sessionId)], [null, [MIA], 0]);
  const [message] = (await readMessages(db, ended.sessionId, { before: null, limit: 1 })).rows;
  assert.deepEqual([message?.text, message?.authorName, message?.runId], ['', 'Mia', null]);
  assert.ok(message?.forgottenAt);
  await assert.rejects(
    db.updateTable('session_message').set({ text: 'Forged' }).where('session_id', '=', ended.sessionId).execute(),
    /only goes as a whole/,
  );
  assert.equal(await deleteForgottenChats(db), 0);
  await ledger.owner
    .updateTable('session')
    .set({ forgotten_at: new Date(Date.now() - (FORGOTTEN_SESSIONS_KEPT_DAYS + 1) * 86_400_000) })
    .where('session_id', '=', ended.sessionId)
    .execute();
  assert.equal(await deleteForgottenChats(db), 1);
  assert.equal(await findChatSession(db, ended.sessionId), null);
  for (const { sessionId } of [recent, open]) assert.equal(await countRuns(sessionId), 1);
});

test('a transcript outlives the run of a message', async () => {
  const { sessionId, runId } = await newSession();
  await cancel(runId);
  const [message] = (await readMessages(db, sessionId, { before: null, limit: 1 })).rows;
  assert.ok(message);
  await inTransaction(db, (tx) => setMessageState(tx, message.messageId, 'cancelled'));
  await db.deleteFrom('run').where('run_id', '=', runId).execute();
  const [kept] = (await readMessages(db, sessionId, { before: null, limit: 1 })).rows;
  assert.deepEqual([kept?.text, kept?.runId, kept?.state], ['Hello', null, 'cancelled']);
});

test('events are numbered without gaps, and only the newest stay', async () => {
  const { sessionId } = await newSession();
  const all = await readSessionEvents(db, sessionId, { after: 0, limit: 100 });
  assert.deepEqual(
    pluck(all, 'number'),
    all.map((_, at) => at + 1),
  );
  assert.ok(all.some(({ kind }) => kind === 'run_event') && all.some(({ kind }) => kind === 'message'));
  await forgetSessionEvents(db);
  assert.deepEqual(await sessionEventRange(db, sessionId), { first: 1, last: all.length });
  await db
    .updateTable('session')
    .set({ events: SESSION_EVENTS_KEPT + 2 })
    .where('session_id', '=', sessionId)
    .execute();
  await forgetSessionEvents(db);
  assert.deepEqual(await sessionEventRange(db, sessionId), { first: 3, last: SESSION_EVENTS_KEPT + 2 });
});
