/** Streams of sessions on two replicas: no gap and no repetition after any failure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSessionStream } from '@hamlet/contract';
import { inTransaction, insertPermission } from '@hamlet/store';
import { Redis } from 'ioredis';
import { dataOf } from '@hamlet/test/env/client';
import { startSessionStreams } from './session-streams.ts';
import { followSession, SessionPlay, type SessionEvent } from '../testing/play/session-play.ts';
import { clientOf, eventually, TOKENS, startPlay } from '../testing/test-village.ts';

const { village, play } = await startPlay();
const talk = new SessionPlay(play.url);
const otherUrl = (await village.startReplica()).peopleUrl;

const { admin: ADMIN } = TOKENS;
const idsOf = (events: readonly SessionEvent[]): readonly string[] =>
  events.map(({ id }) => id).filter((id) => id !== null);
const answered = (events: readonly SessionEvent[], text: string): boolean =>
  events.some((event) => event.event === 'message' && event.data.text === text);

test('a stream without a cursor begins with the present state and then reports changes of both replicas', async () => {
  const { session_id: sessionId } = await talk.open(talk.play.admin, 'ada');
  dataOf(await talk.say(talk.play.admin, sessionId, 'Before'));
  const here = followSession(talk.play.admin, sessionId);
  const there = followSession(clientOf(otherUrl, ADMIN), sessionId);
  for (const stream of [here, there])
    await eventually('the present state', () => stream.events.some(({ event }) => event === 'session'));
  assert.deepEqual(
    here.events.map(({ event, id }) => [event, id === null]),
    [
      ['reset', true],
      ['message', true],
      ['session', false],
    ],
  );
  await talk.answerNext('ada', 'After');
  for (const stream of [here, there]) {
    await eventually('the answer', () => answered(stream.events, 'After'));
    await eventually('the end of the message', () =>
      stream.events.some(
        (event) => event.event === 'message' && event.data.number === 1 && event.data.state === 'answered',
      ),
    );
  }
  const kinds = () => here.events.flatMap((event) => (event.event === 'run_event' ? [event.data.event] : []));
  await eventually('the end of the run', () => kinds().includes('settled'));
  assert.deepEqual([...new Set(kinds())], ['started', 'settled']);
  for (const { event, data } of here.events) openSessionStream.answer.events[event].parse(data);
  here.stop();
  there.stop();
});

test('a reader that reconnects at any event misses nothing and gets nothing twice', async () => {
  const { session_id: sessionId } = await talk.open(talk.play.admin, 'bob');
  const from = await talk.play.admin.listMessages({ session_id: sessionId });
  const whole = followSession(talk.play.admin, sessionId, from.stream_cursor);
  for (const text of ['One', 'Two', 'Three']) {
    dataOf(await talk.say(talk.play.admin, sessionId, text));
    await talk.answerNext('bob', `Answer to ${text}`);
  }
  await talk.play.admin.pauseSession({ session_id: sessionId });
  await eventually('the pause', () =>
    whole.events.some((event) => event.event === 'session' && event.data.state === 'paused' && event.id !== null),
  );
  const all = idsOf(whole.events);
  assert.equal(new Set(all).size, all.length);
  whole.stop();
  for (const [at, after] of all.entries()) {
    const client = at % 2 === 0 ? talk.play.admin : clientOf(otherUrl, ADMIN);
    const rest = followSession(client, sessionId, after);
    await eventually(`the rest after event ${at}`, () => idsOf(rest.events).length >= all.length - at - 1);
    assert.deepEqual(idsOf(rest.events), all.slice(at + 1));
    assert.ok(!rest.events.some(({ event }) => event === 'reset'));
    rest.stop();
  }
});

test('a stream begins with a reset if its cursor is invalid, of another session or too old', async () => {
  const first = await talk.open(talk.play.admin, 'cleo');
  const second = await talk.open(talk.play.admin, 'cleo');
  const cursorOf = async (sessionId: string) =>
    (await talk.play.admin.listMessages({ session_id: sessionId })).stream_cursor;
  const old = await cursorOf(second.session_id);
  dataOf(await talk.say(talk.play.admin, second.session_id, 'Hello'));
  dataOf(await talk.say(talk.play.admin, second.session_id, 'Again'));
  const db = village.openDb();
  const mine = db.selectFrom('session').select('events').where('session_id', '=', second.session_id);
  const { events } = await mine.executeTakeFirstOrThrow();
  const forget = db.deleteFrom('session_event').where('session_id', '=', second.session_id);
  await forget.where('number', '<', events).execute();
  for (const after of [await cursorOf(first.session_id), 'nonsense', old]) {
    const stream = followSession(talk.play.admin, second.session_id, after);
    await eventually('the reset', () => stream.events.some(({ event }) => event === 'session'));
    assert.equal(stream.events[0]?.event, 'reset');
    stream.stop();
  }
});

test('with concurrent writers, each stream has every message once, in the order of its number', async () => {
  const { session_id: sessionId } = await talk.open(talk.play.admin, 'dan');
  const streams = [followSession(talk.play.admin, sessionId), followSession(clientOf(otherUrl, ADMIN), sessionId)];
  const writers = [talk.play.admin, clientOf(otherUrl, ADMIN)];
  await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      writers[n % 2]?.raw.sendMessage({ session_id: sessionId, text: `Message ${n}` }),
    ),
  );
  for (const { events, stop } of streams) {
    const numbers = () => events.flatMap((event) => (event.event === 'message' ? [event.data.number] : []));
    await eventually('all messages', () => numbers().length >= 12);
    assert.deepEqual(numbers(), [...Array(13).keys()].slice(1));
    stop();
  }
});

test('the stream has the text of the current answer and the permissions of its run', async () => {
  const { session_id: sessionId } = await talk.open(talk.play.admin, 'eve');
  const { run } = dataOf(await talk.say(talk.play.admin, sessionId, 'Say something'));
  dataOf(await talk.start('eve', run.run_id));
  const stream = followSession(clientOf(otherUrl, ADMIN), sessionId);
  const redis = new Redis(village.redis.url);
  const delta = { run_id: run.run_id, ask: 1, attempt: 1, text: 'Some' };
  await eventually('words', async () => {
    await redis.publish(`${village.redis.scope}run-delta:${run.run_id}`, JSON.stringify(delta));
    return stream.events.some((event) => event.event === 'delta');
  });
  redis.disconnect();
  const words = stream.events.find((event) => event.event === 'delta');
  assert.deepEqual([words?.data, words?.id], [delta, null]);
  await inTransaction(village.openDb(), (tx) =>
    insertPermission(tx, {
      runId: run.run_id,
      agentId: 'eve',
      request: 'one',
      callId: '1.0',
      tool: 'post_to_board',
      arguments: '{}',
      argumentsHash: Buffer.alloc(32),
      why: 'policy',
      reason: 'A rule asks.',
      question: null,
      amount: null,
      policyVersion: '0'.repeat(64),
      lastsS: 60,
      opens: [],
      taint: null,
    }),
  );
  const asked = await eventually('the permission', () => stream.events.find((event) => event.event === 'permission'));
  assert.ok(asked.event === 'permission' && asked.id !== null);
  assert.deepEqual([asked.data.tool, asked.data.session_id, asked.data.state], ['post_to_board', sessionId, 'pending']);
  dataOf(await talk.answer('eve', run.run_id, 'Something'));
  await eventually('the end of the permission', () =>
    stream.events.some((event) => event.event === 'permission' && event.data.state === 'withdrawn'),
  );
  for (const { event, data } of stream.events) openSessionStream.answer.events[event].parse(data);
  stream.stop();
});

test('a reader that reads nothing is sent one page of changes, and the rest once it reads', async () => {
  const { session_id: sessionId } = await talk.open(talk.play.admin, 'ada');
  dataOf(await talk.say(talk.play.admin, sessionId, 'Work'));
  const run = await talk.next('ada');
  assert.ok(run);
  dataOf(await talk.start('ada', run.run_id));
  const db = village.openDb();
  const actor = { id: 'admin', role: 'admin', accountId: null, name: 'admin' } as const;
  const { promise: read, resolve: reads } = Promise.withResolvers<void>();
  const sent: string[] = [];
  const sink = { send: (event: string) => void sent.push(event), close: () => undefined, drained: () => read };
  const streams = startSessionStreams({
    db,
    log: () => undefined,
    notifications: { on: () => undefined },
    deltas: { subscribe: () => () => undefined },
  });
  const after = await streams.cursorOf(db, sessionId);
  const EVENTS = 500;
  for (let written = 0; written < EVENTS; written += 100) await talk.claim(run.run_id, 100);
  const stop = await streams.open({ sessionId, actor, after }, sink);
  const count = (): number => sent.filter((event) => event === 'run_event').length;
  await eventually('the first page', () => count() > 0);
  await sleep(200);
  assert.equal(count(), 200);
  reads();
  await eventually('the rest', () => count() === EVENTS);
  stop?.();
  const many = await Promise.all(Array.from({ length: 20 }, () => streams.open({ sessionId, actor, after }, sink)));
  assert.equal(many.filter((opened) => opened !== null).length, 16, 'the limit of one caller');
  for (const end of many) end?.();
});
