/** Messages of a session are worked on one at a time, in order, and each is answered exactly once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseSession, resumeSession, type SessionMessage } from '@hamlet/contract';
import { inTransaction, lockRun } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { applyToRun } from '../runs/apply-to-run.ts';
import { firingBody, leaderOf } from '../testing/play/run-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { type AgentId, startPlay } from '../testing/test-village.ts';

const { village, play } = await startPlay();
const talk = new SessionPlay(play.url);
const db = village.openDb();

async function sessionWith(agentId: AgentId, texts: readonly string[]) {
  const { session_id: sessionId } = await talk.open(talk.play.admin, agentId);
  const runs: string[] = [];
  for (const text of texts) runs.push(dataOf(await talk.say(talk.play.admin, sessionId, text)).run.run_id);
  return { sessionId, runs, at: { params: { session_id: sessionId } } };
}
const summarized = (lines: readonly SessionMessage[]): readonly string[] =>
  lines.map(({ author, state, text }) => `${author.role} ${state}: ${text}`);

test('the second message waits until the first has ended, although it has a run; another session does not wait', async () => {
  const { sessionId, runs } = await sessionWith('ada', ['One', 'Two']);
  const other = await sessionWith('ada', ['Other']);
  const [one = '', two = ''] = runs;
  assert.equal((await talk.next('ada'))?.run_id, one);
  await refuses(talk.start('ada', two), 'earlier_message_open');
  dataOf(await talk.start('ada', one));
  await refuses(talk.start('ada', two), 'earlier_message_open');
  dataOf(await talk.answer('ada', one, 'Answer one'));
  assert.equal((await talk.next('ada'))?.run_id, two);
  await talk.answerNext('ada', 'Answer two');
  assert.equal(await talk.answerNext('ada', 'Answer other'), other.runs[0]);
  assert.deepEqual(summarized(await talk.transcript(talk.play.admin, sessionId)), [
    'admin answered: One',
    'admin answered: Two',
    'agent answered: Answer one',
    'agent answered: Answer two',
  ]);
});

test('pausing a session holds its queue: its runs are neither offered nor started until it resumes', async () => {
  const { runs, at, sessionId } = await sessionWith('bob', ['One', 'Two']);
  const [one = '', two = ''] = runs;
  dataOf(await talk.start('bob', one));
  assert.equal(dataOf(await talk.play.admin.call(pauseSession, at)).session.state, 'paused');
  dataOf(await talk.answer('bob', one, 'Still answered'));
  assert.equal(await talk.next('bob'), null);
  await refuses(talk.start('bob', two), 'session_paused');
  assert.equal((await talk.session(talk.play.admin, sessionId)).waiting, 1);
  dataOf(await talk.play.admin.call(resumeSession, at));
  assert.equal((await talk.next('bob'))?.run_id, two);
  await talk.answerNext('bob', 'Two');
});

test('a failed or cancelled run marks its message, a line gives the reason, and the queue continues', async () => {
  const { runs, sessionId } = await sessionWith('cleo', ['Fails', 'Is cancelled', 'Works']);
  const [one = '', two = ''] = runs;
  dataOf(await talk.start('cleo', one));
  const error = { code: 'no_model', message: 'The village has no model' };
  dataOf(await talk.settle('cleo', one, { attempt: 1, state: 'failed', summary: 'I cannot.', error }));
  await talk.play.admin.cancelRun({ run_id: two });
  await talk.answerNext('cleo', 'Done');
  assert.deepEqual(summarized(await talk.transcript(talk.play.admin, sessionId)), [
    'admin failed: Fails',
    'admin cancelled: Is cancelled',
    'admin answered: Works',
    'system answered: Failed: The village has no model',
    'system answered: The message was cancelled.',
    'agent answered: Done',
  ]);
});

test('a settlement that is sent twice answers once; an old claim answers nothing', async () => {
  const { runs, sessionId } = await sessionWith('dan', ['Hello']);
  const [run = ''] = runs;
  dataOf(await talk.start('dan', run));
  const cycle = await talk.cycle('dan');
  const settle = (attempt: number, answer: string) =>
    talk.play.as('dan').raw.settleRun({ run_id: run, cycle, attempt, state: 'done', summary: 'Done.', answer });
  await refuses(settle(7, 'From nowhere'), 'claim_lapsed');
  assert.ok((await Promise.all([settle(1, 'Yes'), settle(1, 'Yes'), settle(1, 'Yes')])).every(({ ok }) => ok));
  const lines = await talk.transcript(talk.play.admin, sessionId);
  assert.deepEqual(summarized(lines), ['admin answered: Hello', 'agent answered: Yes']);
});

test('answer, message and run commit together: an API that dies before the commit changes none of them', async () => {
  const { runs, sessionId } = await sessionWith('eve', ['Hello']);
  const [run = ''] = runs;
  dataOf(await talk.start('eve', run));
  const { cycle } = await talk.get(run);
  const dies = inTransaction(db, async (tx) => {
    const outcome = await applyToRun(tx, run, {
      command: { kind: 'settle', cycle: cycle ?? 0, attempt: 1, state: 'done' },
      words: { summary: 'Done.', answer: 'Lost' },
      permit: () => null,
    });
    assert.ok(outcome.ok && outcome.data.changed);
    // Kills the server process of this transaction, as if the API were killed.
    await tx.selectNoFrom(({ fn }) => fn('pg_terminate_backend', [fn('pg_backend_pid')]).as('ended')).execute();
  });
  await assert.rejects(dies);
  assert.equal((await talk.get(run)).state, 'running');
  assert.deepEqual(summarized(await talk.transcript(talk.play.admin, sessionId)), ['admin working: Hello']);
  dataOf(await talk.answer('eve', run, 'Kept'));
  assert.deepEqual(summarized(await talk.transcript(talk.play.admin, sessionId)), [
    'admin answered: Hello',
    'agent answered: Kept',
  ]);
});

test('the message of a lost agent goes back to the front of the queue', async () => {
  const { runs } = await sessionWith('eve', ['One', 'Two']);
  const [one = '', two = ''] = runs;
  dataOf(await talk.start('eve', one));
  await inTransaction(db, async (tx) => {
    assert.ok((await lockRun(tx, one)) !== null);
    await applyToRun(tx, one, { command: { kind: 'lapse' }, words: {}, permit: () => null });
  });
  assert.equal((await talk.next('eve'))?.run_id, one);
  await refuses(talk.start('eve', two), 'earlier_message_open');
  await talk.answerNext('eve', 'One');
  await talk.answerNext('eve', 'Two');
});

test('the database refuses a second answer, a second current message and a change of an ended message', async () => {
  const { sessionId } = await sessionWith('fay', ['One', 'Two']);
  const messages = () => db.updateTable('session_message').where('session_id', '=', sessionId);
  await assert.rejects(messages().set({ state: 'working' }).execute(), /session_message_one_working/);
  await assert.rejects(messages().set({ text: 'Changed' }).execute(), /never changes/);
  await talk.answerNext('fay', 'First');
  const answer = db
    .selectFrom('session_message')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('number', '=', 3);
  const { message_id: _, ...again } = await answer.executeTakeFirstOrThrow();
  const second = db.insertInto('session_message').values({ ...again, number: 99 });
  await assert.rejects(second.execute(), /session_message_one_answer/);
  await assert.rejects(messages().where('number', '=', 1).set({ state: 'queued' }).execute(), /has ended/);
  await talk.answerNext('fay', 'Second');
});

test("two sessions, a run and a Schedule that start together never see each other's texts", async () => {
  const secrets = { first: 'SECRET-ONE', second: 'SECRET-TWO', prompt: 'SECRET-THREE', schedule: 'SECRET-FOUR' };
  const first = await sessionWith('ada', [secrets.first]);
  const second = await sessionWith('ada', [secrets.second]);
  const given = (await talk.play.admin.createRun({ agent_id: 'ada', prompt: secrets.prompt })).run;
  const leader = leaderOf(talk.play.url, 'four:0');
  const firing = firingBody({ schedule_uid: 'four', agents: ['ada'], prompt: secrets.schedule });
  const scheduled = (await leader.fireSchedule(firing)).runs[0]?.run_id ?? '';
  const cycle = await talk.cycle('ada');
  const startOf = async (runId: string) => await talk.play.as('ada').startRun({ run_id: runId, cycle });
  for (const [runId, own, session] of [
    [first.runs[0] ?? '', secrets.first, first.sessionId],
    [second.runs[0] ?? '', secrets.second, second.sessionId],
    [given.run_id, secrets.prompt, null],
    [scheduled, secrets.schedule, null],
  ] as const) {
    const started = await startOf(runId);
    const text = JSON.stringify(started);
    assert.ok(text.includes(own));
    for (const other of Object.values(secrets)) assert.ok(other === own || !text.includes(other));
    assert.equal(started.session?.session_id ?? null, session);
    // The agent's tier allows two runs at a time.
    if (runId === first.runs[0]) continue;
    dataOf(await talk.answer('ada', runId, 'An answer'));
  }
});
