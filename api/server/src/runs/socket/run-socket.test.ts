/** The websocket of a run: each event once over any number of connections and replicas, streamed text, the end, and its readers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run, RunEvent } from '@hamlet/contract';
import { WebSocket } from 'ws';
import { untilEnd } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { openRedisLink } from '../../service/redis-link.ts';
import { RunPlay } from '../../testing/play/run-play.ts';
import { agentToken, eventually, TOKENS, testVillage } from '../../testing/test-village.ts';

interface Message {
  readonly type: 'run_event' | 'delta' | 'run';
  readonly id: string | null;
  readonly data: unknown;
}

const village = await testVillage();
const replicas = [await village.startReplica(), await village.startReplica()];
const runs = new RunPlay(replicas[0]?.peopleUrl ?? '');
const link = untilEnd(openRedisLink(village.redis.url, () => undefined));
await runs.play.everybody();

/** A connection to a replica, with everything that it received. */
class Reader {
  readonly sent: Message[] = [];
  readonly closed: Promise<readonly [number, string]>;
  isClosed = false;
  readonly #socket: WebSocket;

  constructor(replica: number, query: string, token: string = TOKENS.admin) {
    const url = (replicas[replica % 2]?.peopleUrl ?? '').replace('http', 'ws');
    this.#socket = new WebSocket(`${url}/ws/runs?${query}`, { headers: { authorization: `Bearer ${token}` } });
    this.#socket.on('error', () => undefined);
    this.#socket.on('message', (text) => this.sent.push(JSON.parse(String(text)) as Message));
    this.closed = new Promise((resolve) => {
      this.#socket.on('close', (code, reason) => {
        this.isClosed = true;
        resolve([code, String(reason)]);
      });
    });
  }

  /** Disconnects once it has received the wanted number of messages, or the stream is over. */
  async leaveAfter(most: number): Promise<void> {
    await eventually('the messages or the end', () => this.isClosed || this.sent.length >= most);
    this.#socket.terminate();
    await this.closed;
  }

  get numbers(): readonly number[] {
    return this.sent.flatMap(({ type, id, data }) => {
      if (type !== 'run_event') return [];
      assert.equal(Number(id), (data as RunEvent).number);
      return [(data as RunEvent).number];
    });
  }
}

test('a reader that reconnects to either replica gets each event once; the socket ends with the run', async () => {
  const runId = await runs.started('ada');
  const EVENTS = 120;
  const writing = (async () => {
    for (let written = 0; written < EVENTS; written += 20) await runs.claim(runId, 20);
    dataOf(await runs.settle('ada', runId, { state: 'done', summary: 'Done.' }));
  })();
  const numbers: number[] = [];
  for (let connections = 0, isOver = false; !isOver; connections += 1) {
    assert.ok(connections < EVENTS, 'each connection brings an event');
    const reader = new Reader(connections, `run_id=${runId}&after=${numbers.at(-1) ?? 0}`);
    await reader.leaveAfter(17);
    numbers.push(...reader.numbers);
    isOver = reader.sent.some(({ type, data }) => type === 'run' && (data as Run).ended_at !== null);
  }
  await writing;
  assert.deepEqual(numbers, [...Array(EVENTS + 4).keys()].slice(1));
  const late = new Reader(1, `run_id=${runId}&after=${EVENTS + 2}`);
  assert.deepEqual(await late.closed, [1_000, '']);
  assert.deepEqual(late.numbers, [EVENTS + 3]);
});

test('streamed text passes while the run is in progress', async () => {
  const runId = await runs.started('ada');
  const reader = new Reader(1, `run_id=${runId}`);
  await eventually('the start', () => reader.numbers.length === 2);
  await eventually('the words', async () => {
    await link.publish(
      `run-delta:${runId}`,
      JSON.stringify({ run_id: runId, ask: 0, attempt: 0, text: 'Fresh bread.' }),
    );
    return reader.sent.some(({ type, data }) => type === 'delta' && (data as { text: string }).text === 'Fresh bread.');
  });
  dataOf(await runs.settle('ada', runId, { state: 'done', summary: 'Done.' }));
  assert.deepEqual(await reader.closed, [1_000, '']);
});

test('an unknown run, a wrong query or too many streams close the socket with the reason', async () => {
  const none = new Reader(0, 'run_id=00000000-0000-4000-8000-000000000000');
  assert.deepEqual(await none.closed, [4_404, 'no_such_run']);
  for (const query of ['', 'run_id=x', `run_id=00000000-0000-4000-8000-000000000000&after=-1`])
    assert.deepEqual(await new Reader(0, query).closed, [4_404, 'validation_failed']);
  const runId = await runs.started('ada');
  const open = Array.from({ length: 20 }, () => new Reader(0, `run_id=${runId}`));
  await eventually('all streams', () => open.every(({ sent }) => sent.length > 0));
  assert.deepEqual(await new Reader(0, `run_id=${runId}`).closed, [4_404, 'rate_limited']);
  await open[0]?.leaveAfter(1);
  const next = await eventually('a place', async () => {
    const reader = new Reader(0, `run_id=${runId}`);
    await eventually('words or a refusal', () => reader.isClosed || reader.sent.length > 0);
    return !reader.isClosed && reader;
  });
  dataOf(await runs.settle('ada', runId, { state: 'done', summary: 'Done.' }));
  await Promise.all([next, ...open.slice(1)].map(({ closed }) => closed));
});

test("a member sees another member's run without its texts; an agent may open no socket", async () => {
  const runId = await runs.started('ada');
  const reader = new Reader(0, `run_id=${runId}`, TOKENS.member);
  await eventually('the run', () => reader.sent.some(({ type }) => type === 'run'));
  const run = reader.sent.find(({ type }) => type === 'run')?.data as Run;
  assert.match(run.prompt, /^Only the person who gave this run/);
  const agent = new Reader(0, `run_id=${runId}`, agentToken('ada'));
  assert.equal((await agent.closed)[0], 1_006, 'refused before it opens');
  dataOf(await runs.settle('ada', runId, { state: 'done', summary: 'Done.' }));
  await reader.closed;
});
