/**
 * A long run reports in its session from the events that the API has: one message, replaced in place, which does not count as an answer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JournalEntry, type SessionMessage } from '@hamlet/contract';
import { dataOf } from '@hamlet/test/env/client';
import { SessionPlay, followSession } from '../testing/play/session-play.ts';
import { eventually, type AgentId, startPlay } from '../testing/test-village.ts';

const { village, play } = await startPlay();
const talk = new SessionPlay(play.url);
const db = village.openDb();

const FIVE_MINUTES_MS = 300_000;
const ref = (name: string): string => name.padEnd(22, '_');
const usage = { prompt: 100, completion: 20, total: 120 };

/** A run of a message whose agent sends its journal. */
async function begun(agentId: AgentId) {
  const { session_id: sessionId } = await talk.open(talk.play.admin, agentId);
  const { run } = dataOf(await talk.say(talk.play.admin, sessionId, 'Read the whole board.'));
  const runId = run.run_id;
  const cycle = await talk.cycle(agentId);
  await talk.play.as(agentId).startRun({ run_id: runId, cycle, runtime: 'engine' });
  let seq = 0;
  const entry = (fields: Readonly<Record<string, unknown>> & { readonly type: string }): JournalEntry => {
    seq += 1;
    return { seq, event: { v: 1, run: runId, stage: 'main', fence: 1, at: 5, elapsedMs: 1, ...fields } };
  };
  /** Sends `count` answers of the model, each with one call. */
  const work = async (count: number, outcome = 'ok'): Promise<void> => {
    const first = seq;
    const entries = Array.from({ length: count }, (_, index) => {
      const id = `${first + index}.0`;
      const call = { id, modelId: 'x', tool: 'read_board', arguments: ref('arguments'), effect: 'read' };
      const ask = { ask: first + index, attempt: 1 };
      return [
        entry({
          type: 'model_answered',
          ...ask,
          message: ref('m'),
          hasText: true,
          calls: [call],
          usage,
          moneyMicros: 1,
        }),
        entry({
          type: 'tool_intent',
          call: id,
          tool: 'read_board',
          arguments: ref('arguments'),
          effect: 'read',
          attempt: 1,
        }),
        entry({ type: 'tool_settled', call: id, outcome, result: ref(outcome) }),
      ];
    }).flat();
    const payloads = [
      { ref: ref('ok'), text: '{"kind":"ok","text":"7 posts"}' },
      { ref: ref('failed'), text: '{"code":"unavailable","kind":"failed","text":"no board"}' },
    ];
    await talk.play.as(agentId).storeRunJournal({ run_id: runId, cycle, attempt: 1, entries, payloads });
  };
  const reports = async (): Promise<readonly SessionMessage[]> =>
    (await talk.transcript(talk.play.admin, sessionId)).filter(({ progress }) => progress);
  return { sessionId, runId, work, reports };
}

test('twenty steps create one report; later ones replace it, and it does not count as an answer', async () => {
  const { sessionId, runId, work, reports } = await begun('ada');
  const stream = followSession(talk.play.admin, sessionId);
  await work(19);
  assert.deepEqual(await reports(), []);
  await work(1);
  const [first, ...others] = await reports();
  assert.equal(others.length, 0);
  assert.partialDeepStrictEqual(first, { in_reply_to: null, run_id: runId, version: 1, steps: 20, cost: null });
  assert.equal(first?.author.role, 'agent');
  assert.match(first?.text ?? '', /^Done: 20 steps, 20 calls\n- read_board: 20; last: 7 posts\n\nNow: the model/);
  await work(5, 'failed');
  assert.deepEqual(await reports(), [first], 'five steps later there is no other report');
  await work(15);
  const [second] = await reports();
  assert.partialDeepStrictEqual(second, {
    message_id: first?.message_id,
    number: first?.number,
    version: 2,
    steps: 40,
  });
  assert.match(second?.text ?? '', /Failed: 5 calls\n- read_board \(failed\): no board/);
  const [question] = await talk.transcript(talk.play.admin, sessionId);
  assert.equal(question?.state, 'working');
  dataOf(await talk.answer('ada', runId, 'There are 7 posts.'));
  const lines = await talk.transcript(talk.play.admin, sessionId);
  assert.deepEqual(
    lines.map(({ author, state, in_reply_to, progress }) => [author.role, state, in_reply_to !== null, progress]),
    [
      ['admin', 'answered', false, false],
      ['agent', 'answered', false, true],
      ['agent', 'answered', true, false],
    ],
  );
  assert.match(lines[1]?.text ?? '', /Now: the run has ended: done\./);
  const sent = await eventually('the last version in the stream', async () => {
    const versions = stream.events.flatMap((event) =>
      event.event === 'message' && event.data.progress ? [event.data.version] : [],
    );
    return versions.at(-1) === 3 ? versions : null;
  });
  assert.deepEqual(sent, sent.toSorted());
  stream.stop();
});

test('five minutes after its report a run is reported again', async () => {
  const { work, reports } = await begun('bob');
  await work(20);
  const [first] = await reports();
  await db
    .updateTable('session_message')
    .set({ version: 2, revised_at: new Date(Date.now() - FIVE_MINUTES_MS) })
    .where('message_id', '=', first?.message_id ?? '')
    .execute();
  await work(1);
  const [second] = await reports();
  assert.deepEqual([second?.version, second?.steps], [3, 21]);
});

test('a report keeps its author, place and kind; its text changes only with a new version', async () => {
  const { work, reports } = await begun('cleo');
  await work(20);
  const [report] = await reports();
  const change = (columns: Readonly<Record<string, unknown>>): Promise<unknown> =>
    db
      .updateTable('session_message')
      .set(columns)
      .where('message_id', '=', report?.message_id ?? '')
      .execute();
  await assert.rejects(change({ text: 'Other words.' }), /only goes as a whole/);
  await assert.rejects(change({ progress: false }), /never changes/);
  await assert.rejects(change({ version: 0 }), /only grows|check/);
});
