/** Sessions over HTTP on a real Postgres: the people of a session, its audience, its limits and its end. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  banAgent,
  createSession,
  freezeAgent,
  killAgent,
  liftBan,
  liftFreeze,
  liftKill,
  liftQuarantine,
  ProblemError,
  quarantineAgent,
  SESSION_MESSAGES_MAX,
  SESSION_PEOPLE_MAX,
  SESSION_WAITING_MAX,
  SESSIONS_OF_PERSON_MAX,
} from '@hamlet/contract';
import { codeOf, type TestClient, dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { testVillage } from '../testing/test-village.ts';

const village = await testVillage();
const { peopleUrl: url } = await village.startReplica();
const talk = new SessionPlay(url);
await talk.play.everybody();
const grace = await firstAdmin(url);
const mia = await invite(grace, url, { name: 'Mia', role: 'member' });
const noah = await invite(grace, url, { name: 'Noah', role: 'member' });

const NO_ID = '01890000-0000-7000-8000-000000000000';
const at = (sessionId: string) => ({ session_id: sessionId });

test('a person opens a session, writes, and reads the answer with its cost; the title is the first message', async () => {
  const session = await talk.open(mia.client, 'ada');
  assert.deepEqual(
    [session.state, session.waiting, session.people, session.title],
    ['idle', 0, [{ id: `account ${mia.accountId}`, name: 'Mia' }], 'New session'],
  );
  const { message, run, wake } = dataOf(await talk.say(mia.client, session.session_id, '  What does Bob want?  '));
  assert.deepEqual(
    [message.number, message.text, message.state, message.author, message.run_id, wake],
    [
      1,
      'What does Bob want?',
      'queued',
      { role: 'member', id: `account ${mia.accountId}`, name: 'Mia' },
      run.run_id,
      'awake',
    ],
  );
  assert.deepEqual(
    [run.kind, run.prompt, run.session_id, run.created_by],
    [
      'message',
      'What does Bob want?',
      session.session_id,
      { role: 'member', id: `account ${mia.accountId}`, name: 'Mia' },
    ],
  );
  dataOf(await talk.start('ada', run.run_id));
  const working = await talk.session(mia.client, session.session_id);
  assert.deepEqual([working.state, working.title, working.waiting], ['running', 'What does Bob want?', 0]);
  dataOf(await talk.answer('ada', run.run_id, 'He wants bread.'));
  const [asked, answered, ...more] = await talk.transcript(mia.client, session.session_id);
  assert.deepEqual([asked?.state, more.length], ['answered', 0]);
  assert.deepEqual(
    [answered?.text, answered?.author.role, answered?.in_reply_to, answered?.run_id, answered?.cost, answered?.steps],
    ['He wants bread.', 'agent', message.message_id, run.run_id, '0', 0],
  );
  assert.equal((await talk.session(mia.client, session.session_id)).state, 'idle');
});

test('requests with the same Idempotency-Key make one message and one run', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'bob');
  const idempotencyKey = randomUUID();
  const call = () => mia.client.raw.sendMessage({ ...at(sessionId), text: 'Once.' }, { idempotencyKey });
  const [first, second] = [dataOf(await call()), dataOf(await call())];
  assert.deepEqual(second, first);
  assert.equal((await talk.transcript(mia.client, sessionId)).length, 1);
  await mia.client.endSession(at(sessionId));
});

test('only people of a session and admins read it; the audit records each admin once', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'ada');
  const { run } = dataOf(await talk.say(mia.client, sessionId, 'A secret.'));
  const reads = (client: TestClient) => [
    codeOf(client.getSession(at(sessionId))),
    codeOf(client.listMessages(at(sessionId))),
    codeOf(client.pauseSession(at(sessionId))),
    codeOf(client.sendMessage({ ...at(sessionId), text: 'x' })),
    codeOf(client.getSession(at(NO_ID))),
  ];
  assert.deepEqual(new Set(await Promise.all(reads(noah.client))), new Set(['no_such_session']));
  const run404 = { run_id: run.run_id };
  await refuses(noah.client.getRun(run404), 'no_such_run');
  await refuses(noah.client.listRunEvents(run404), 'no_such_run');
  const follows = noah.client.streamRun(run404)[Symbol.asyncIterator]().next();
  await assert.rejects(follows, (error) => error instanceof ProblemError && error.problem.code === 'no_such_run');
  const listed = (await noah.client.listRuns({ agent_id: 'ada', limit: 100 })).runs;
  assert.ok(!listed.some(({ run_id }) => run_id === run.run_id));
  await refuses(talk.play.as('bob').getSession(at(sessionId)), 'no_such_session');
  assert.equal((await talk.play.as('ada').getSession(at(sessionId))).session.session_id, sessionId);
  const opened = noah.client.openSessionStream(at(sessionId))[Symbol.asyncIterator]().next();
  await assert.rejects(opened, (error) => error instanceof ProblemError && error.problem.code === 'no_such_session');

  const looks = async () =>
    (await grace.client.listAudit({ object: sessionId, limit: 100 })).records.filter(
      ({ action }) => action === 'session.look',
    );
  assert.equal((await looks()).length, 0);
  assert.equal((await talk.transcript(grace.client, sessionId))[0]?.text, 'A secret.');
  assert.equal((await grace.client.getRun(run404)).run.prompt, 'A secret.');
  assert.deepEqual(pluck(await looks(), 'actor_id'), [`account ${grace.accountId}`]);
  const shown = (await grace.client.listRuns({ agent_id: 'ada', limit: 100 })).runs;
  const veiled = shown.find(({ run_id }) => run_id === run.run_id);
  assert.ok(veiled !== undefined && !veiled.prompt.includes('secret'));
});

test('an invited person reads everything and writes; an unknown name and the 17th person are refused', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'cleo', ['NOAH']);
  dataOf(await talk.say(noah.client, sessionId, 'Hello from Noah.'));
  assert.equal((await talk.transcript(mia.client, sessionId))[0]?.author.name, 'Noah');
  const add = (name: string) => mia.client.raw.addSessionPerson({ ...at(sessionId), name });
  await refuses(add('Nobody at all'), 'no_such_person');
  assert.equal(dataOf(await add('noah')).session.people.length, 2);
  const others = Array.from({ length: SESSION_PEOPLE_MAX - 2 }, (_, n) => ({
    session_id: sessionId,
    person_id: `account ${n}`,
    name: `P${n}`,
  }));
  await village.openDb().insertInto('session_person').values(others).execute();
  await refuses(add('Grace'), 'too_many_people');
  await refuses(mia.client.createSession({ agent_id: 'cleo', people: ['Zed'] }), 'no_such_person');
});

test('people list their own sessions in pages; only an admin lists those of others', async () => {
  const made = [];
  for (let n = 0; n < 3; n += 1) made.push((await talk.open(noah.client, 'dan')).session_id);
  await talk.open(mia.client, 'dan');
  const list = (client: TestClient, query: object) => client.listAgentSessions({ agent_id: 'dan', limit: 2, ...query });
  const first = await list(noah.client, {});
  assert.ok(first.next_cursor !== null);
  const second = await list(noah.client, { cursor: first.next_cursor });
  const ids = [...first.sessions, ...second.sessions].map(({ session_id }) => session_id);
  assert.deepEqual(ids, made.toReversed());
  assert.equal(second.next_cursor, null);
  await refuses(list(mia.client, { cursor: first.next_cursor }), 'cursor_invalid');
  await refuses(list(noah.client, { whose: 'all' }), 'forbidden');
  assert.equal((await list(grace.client, { whose: 'all', limit: 100 })).sessions.length, 4);
  assert.equal((await list(talk.play.as('dan'), { limit: 100 })).sessions.length, 4);
});

test('measures and the freeze of the village refuse a message with their own codes', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'eve');
  const params = { agent_id: 'eve' };
  const say = () => codeOf(talk.say(mia.client, sessionId, 'Hello?'));
  const body = { reason: 'a test' };
  const { admin } = talk.play;
  for (const [take, lift, code] of [
    [freezeAgent, liftFreeze, 'agent_frozen'],
    [quarantineAgent, liftQuarantine, 'agent_quarantined'],
    [banAgent, liftBan, 'agent_banned'],
    [killAgent, liftKill, 'agent_killed'],
  ] as const) {
    dataOf(await admin.call(take, { params, body }));
    assert.equal(await say(), code);
    dataOf(await admin.call(lift, { params, query: {} }));
  }
  await admin.freezeVillage(body);
  assert.equal(await say(), 'village_frozen');
  await admin.liftVillageFreeze();
  assert.equal(await say(), null);
});

test('waiting messages, messages of a session, sessions of a person and text lengths are limited', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'fay');
  for (let n = 0; n < SESSION_WAITING_MAX; n += 1) dataOf(await talk.say(mia.client, sessionId, `Message ${n}`));
  await refuses(talk.say(mia.client, sessionId, 'One more'), 'session_queue_full');
  await refuses(talk.say(mia.client, sessionId, 'x'.repeat(16_385)), 'validation_failed');
  await mia.client.endSession(at(sessionId));
  const full = await talk.open(mia.client, 'fay');
  const fill = village
    .openDb()
    .updateTable('session')
    .set({ messages: SESSION_MESSAGES_MAX - 1 });
  await fill.where('session_id', '=', full.session_id).execute();
  await refuses(talk.say(mia.client, full.session_id, 'Is there room?'), 'session_full');
  for (let n = 1; n < SESSIONS_OF_PERSON_MAX; n += 1) await talk.open(mia.client, 'fay');
  const more = { params: { agent_id: 'fay' }, body: {} };
  await refuses(mia.client.call(createSession, more), 'too_many_sessions');
  await mia.client.endSession(at(full.session_id));
  assert.equal(await codeOf(mia.client.call(createSession, more)), null);
});

test('ending a session cancels its messages with a note; afterwards it can only be read', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'bob');
  const first = dataOf(await talk.say(mia.client, sessionId, 'First'));
  dataOf(await talk.say(mia.client, sessionId, 'Second'));
  dataOf(await talk.start('bob', first.run.run_id));
  const ended = (await mia.client.endSession(at(sessionId))).session;
  assert.equal(ended.state, 'terminated');
  assert.equal(await codeOf(mia.client.endSession(at(sessionId))), null);
  assert.equal((await talk.get(first.run.run_id)).cancel_requested_at !== null, true);
  dataOf(await talk.settle('bob', first.run.run_id, { attempt: 1, state: 'cancelled', summary: 'Stopped.' }));
  const lines = await talk.transcript(mia.client, sessionId);
  assert.deepEqual(
    lines.map(({ author, state }) => [author.role, state]),
    [
      ['member', 'cancelled'],
      ['member', 'cancelled'],
      ['system', 'answered'],
      ['system', 'answered'],
    ],
  );
  assert.ok(lines.slice(2).every(({ text }) => /cancelled/i.test(text)));
  for (const call of [
    talk.say(mia.client, sessionId, 'Hello?'),
    mia.client.raw.pauseSession(at(sessionId)),
    mia.client.raw.resumeSession(at(sessionId)),
    mia.client.raw.addSessionPerson({ ...at(sessionId), name: 'Noah' }),
  ])
    await refuses(call, 'session_terminated');
});

test('a message to an agent that an admin suspended waits until an admin wakes the agent', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'cleo');
  const agent = { agent_id: 'cleo' };
  await talk.play.admin.suspendAgent(agent);
  const sent = dataOf(await talk.say(mia.client, sessionId, 'Are you awake?'));
  assert.deepEqual([sent.wake, sent.message.state], ['suspended', 'queued']);
  await talk.play.admin.awakenAgent(agent);
  assert.equal(dataOf(await talk.say(mia.client, sessionId, 'And now?')).wake, 'awake');
});
