/** Streams of runs from two replicas: each event once, no text after a cancel, and every measure ends them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { streamRun, type StreamEvent } from '@hamlet/contract';
import { codeOf, type TestClient, dataOf, follow, refuses } from '@hamlet/test/env/client';
import { untilEnd } from '@hamlet/test/env/at-end';
import { openRedisLink } from '../service/redis-link.ts';
import { firstAdmin, invite, signIn } from '../testing/play/people-play.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { agentToken, clientOf, eventually, TOKENS, testVillage } from '../testing/test-village.ts';

type Sent = StreamEvent<typeof streamRun>;

const village = await testVillage();
const replicas = [await village.startReplica(), await village.startReplica()];
const runs = new RunPlay(replicas[0]?.peopleUrl ?? '');
const db = village.openDb();
const link = untilEnd(openRedisLink(village.redis.url, () => undefined));
await runs.play.everybody();

const onReplica = (index: number, token: string = TOKENS.admin): TestClient =>
  clientOf(replicas[index % 2]?.peopleUrl ?? '', token);

/** Reads the stream of a run until it ends, the test stops it, or it has sent `most` events. */
function read(client: TestClient, runId: string, { after, most = Infinity }: { after?: number; most?: number } = {}) {
  const query = after === undefined ? {} : { after };
  const { events, ended, stop } = follow(async function* (signal) {
    for await (const event of client.streamRun({ run_id: runId, ...query }, { signal })) {
      yield event;
      if (events.length >= most) stop();
    }
  });
  return { sent: events, ended: ended.catch(() => undefined), stop };
}

const numbersOf = (sent: readonly Sent[]): readonly number[] =>
  sent.flatMap((each) => (each.event === 'run_event' ? [each.data.number] : []));

let claims = 0;

/** Stores entries of a run, alternating between the replicas. */
const claim = (runId: string, count: number): Promise<void> =>
  runs.claim(runId, count, onReplica((claims += 1), agentToken('ada')));
const startedRun = (): Promise<string> => runs.started('ada');

test('the events of a run come in order from both replicas, then the ended run, and the stream ends', async () => {
  const runId = await startedRun();
  const readings = [0, 1].map((index) => read(onReplica(index), runId));
  await eventually('the start', () => readings.every(({ sent }) => numbersOf(sent).length === 2));
  await claim(runId, 3);
  dataOf(await runs.settle('ada', runId, { state: 'done', summary: 'Done.' }));
  for (const { sent, ended } of readings) {
    await ended;
    assert.deepEqual(numbersOf(sent), [1, 2, 3, 4, 5, 6]);
    const last = sent.at(-1);
    assert.ok(last?.event === 'run' && last.data.state === 'done');
    const states = sent.flatMap((each) => (each.event === 'run' ? [each.data.state] : []));
    assert.deepEqual([states[0], states.at(-1)], ['running', 'done']);
  }
});

test('a reader that disconnects and resumes at random offsets, on either replica, gets each event once', async (t) => {
  const runId = await startedRun();
  const EVENTS = 400;
  const writing = (async () => {
    for (let written = 0; written < EVENTS; written += 20) {
      await claim(runId, 20);
      await sleep(5);
    }
    dataOf(await runs.settle('ada', runId, { state: 'done', summary: 'Done.' }));
  })();
  const numbers: number[] = [];
  let connections = 0;
  for (let isOver = false; !isOver; connections += 1) {
    assert.ok(connections < EVENTS, 'each connection brings an event');
    const after = numbers.at(-1) ?? 0;
    const reading = read(onReplica(connections), runId, { after, most: 1 + Math.floor(Math.random() * 40) });
    await reading.ended;
    numbers.push(...numbersOf(reading.sent));
    isOver = reading.sent.some((each) => each.event === 'run' && each.data.ended_at !== null);
  }
  await writing;
  t.diagnostic(`${connections} connections`);
  assert.deepEqual(numbers, [...Array(EVENTS + 4).keys()].slice(1));
});

test('Last-Event-ID takes precedence over the query, because browsers send both', async () => {
  const runId = await startedRun();
  dataOf(await runs.settle('ada', runId, { state: 'done', summary: 'Done.' }));
  const response = await fetch(`${runs.play.url}/api/v1/runs/${runId}/stream?after=1`, {
    headers: { authorization: `Bearer ${TOKENS.admin}`, 'last-event-id': '2' },
  });
  const ids = (await response.text()).match(/^id: \d+$/gm);
  assert.deepEqual(ids, ['id: 3']);
});

test('if a notification is lost, the poll finds the change later', async () => {
  const runId = await startedRun();
  const reading = read(onReplica(1), runId);
  await eventually('the start', () => numbersOf(reading.sent).length === 2);
  await db.transaction().execute(async (tx) => {
    await tx.insertInto('run_event').values({ run_id: runId, number: 3, event: 'redelivered', detail: '{}' }).execute();
    await tx.updateTable('run').set({ events: 3 }).where('run_id', '=', runId).execute();
  });
  await eventually('the event', () => numbersOf(reading.sent).length === 3);
  reading.stop();
  dataOf(await runs.settle('ada', runId, { state: 'done', summary: 'Done.' }));
});

test('text passes while the run is running, and none after a cancel', async () => {
  const runId = await startedRun();
  const reading = read(onReplica(0), runId);
  await eventually('the start', () => numbersOf(reading.sent).length === 2);
  const words = (): readonly string[] =>
    reading.sent.flatMap((each) => (each.event === 'delta' ? [each.data.text] : []));
  const say = (text: string): Promise<unknown> =>
    link.publish(`run-delta:${runId}`, JSON.stringify({ run_id: runId, ask: 0, attempt: 0, text }));
  await eventually('the words', async () => {
    await say('before');
    return words().length > 0;
  });
  dataOf(await runs.cancel(runId));
  await eventually('the cancel', () => numbersOf(reading.sent).length === 3);
  await say('after');
  dataOf(await runs.settle('ada', runId, { state: 'cancelled', summary: 'Stopped.' }));
  await reading.ended;
  assert.ok(!words().includes('after'));
});

test('text that a resident publishes reaches the readers of its run, and no others', async () => {
  const runId = await startedRun();
  const reading = read(onReplica(1), runId);
  await eventually('the start', () => numbersOf(reading.sent).length === 2);
  const ada = onReplica(0, agentToken('ada'));
  const body = { cycle: await runs.cycle('ada'), attempt: 1, ask: 2, text: 'Fresh bread.' };
  const params = { run_id: runId };
  await eventually('the words', async () => {
    await ada.publishRunWords({ ...params, ...body });
    return reading.sent.some((each) => each.event === 'delta' && each.data.text === body.text && each.data.ask === 2);
  });
  const codes = [
    await codeOf(onReplica(0, agentToken('bob')).publishRunWords({ ...params, ...body })),
    await codeOf(ada.publishRunWords({ ...params, ...body, attempt: 2 })),
    await codeOf(ada.publishRunWords({ ...params, ...body, cycle: body.cycle + 1 })),
    await codeOf(ada.publishRunWords({ run_id: '00000000-0000-4000-8000-000000000000', ...body })),
  ];
  assert.deepEqual(codes, ['not_own_agent', 'claim_lapsed', 'stale_cycle', 'no_such_run']);
  dataOf(await runs.settle('ada', runId, { state: 'done', summary: 'Done.' }));
  await refuses(ada.publishRunWords({ ...params, ...body }), 'run_settled');
  await reading.ended;
});

test('a person may open a limited number of streams', async () => {
  const runId = await startedRun();
  const member = onReplica(0, TOKENS.member);
  const open = Array.from({ length: 20 }, () => read(member, runId));
  await eventually('all streams', () => open.every(({ sent }) => sent.length > 0));
  const response = await fetch(`${runs.play.url}/api/v1/runs/${runId}/stream`, {
    headers: { authorization: `Bearer ${TOKENS.member}` },
  });
  assert.equal(((await response.json()) as { readonly code?: string }).code, 'rate_limited');
  for (const { stop } of open) stop();
  await Promise.all(open.map(({ ended }) => ended));
  await eventually('room for another', async () => {
    const reading = read(member, runId, { most: 1 });
    await reading.ended;
    return reading.sent.length > 0;
  });
  dataOf(await runs.settle('ada', runId, { state: 'done', summary: 'Done.' }));
});

test('a stream ends when its reader signs out or is banned, even on another replica', async () => {
  const runId = await startedRun();
  const url = (index: number): string => replicas[index]?.peopleUrl ?? '';
  const grace = await firstAdmin(url(0));
  const mia = await invite(grace, url(0), { name: 'Mia', role: 'member' });
  const reading = read((await signIn(url(1), 'Mia')).client, runId);
  await eventually('the first event', () => reading.sent.length > 0);
  await grace.client.banAccount({ account_id: mia.accountId, reason: 'test' });
  await reading.ended;

  const other = await signIn(url(1), 'Grace');
  const own = read(other.client, runId);
  await eventually('the first event', () => own.sent.length > 0);
  await other.client.logOut();
  await own.ended;
  dataOf(await runs.settle('ada', runId, { state: 'done', summary: 'Done.' }));
});
