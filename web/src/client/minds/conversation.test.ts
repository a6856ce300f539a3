import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission } from '@hamlet/contract';
import { drawBelow } from '@hamlet/core';
import type { Reply } from '../api.ts';
import { followStream } from '../stream/follow-stream.ts';
import type { Conversation, ConversationEvent } from './conversation.ts';
import {
  afterConversationEvent,
  afterLostStream,
  EMPTY_CONVERSATION,
  exchangesOf,
  openQuestion,
  runReads,
  sameExchange,
  withRuns,
} from './conversation.ts';
import { RUN_ID, aCallEvent, aMessage, aModelEvent, aPermission, aRun, aRunEvent, aSession } from './minds.fixture.ts';

const OTHER_RUN = '01a20000-0000-7000-8000-000000000009';

type Sent = ConversationEvent & { readonly id: string | null };

/** A whole exchange: a question, words, a call with its permission, and the answer. */
const COURSE: readonly ConversationEvent[] = [
  { event: 'session', data: aSession() },
  { event: 'message', data: aMessage(1, { state: 'queued' }) },
  { event: 'session', data: aSession({ state: 'running' }) },
  { event: 'message', data: aMessage(1, { state: 'working' }) },
  { event: 'run_event', data: aRunEvent(1, 'queued') },
  { event: 'run_event', data: aModelEvent(2, 'model_asked', { ask: 0, attempt: 1 }) },
  { event: 'run_event', data: aModelEvent(3, 'model_answered', { ask: 0, attempt: 1, text: 'I ask.' }) },
  { event: 'run_event', data: aRunEvent(4, 'permission_asked', { call_id: '2.0', tool: 'post_to_board' }) },
  { event: 'permission', data: aPermission() },
  { event: 'message', data: aMessage(2, { state: 'queued', run_id: null }) },
  { event: 'permission', data: aPermission({ state: 'allowed', answer: 'allow' }) },
  { event: 'run_event', data: aCallEvent(5, 'call_begun', { call_id: '2.0', tool: 'post_to_board' }) },
  { event: 'permission', data: aPermission({ state: 'consumed', answer: 'allow' }) },
  { event: 'run_event', data: aCallEvent(6, 'call_settled', { call_id: '2.0', outcome: 'ok' }) },
  { event: 'run_event', data: aRunEvent(7, 'settled', { state: 'done' }) },
  {
    event: 'message',
    data: aMessage(3, { author: { role: 'agent', id: 'ada', name: 'Ada' }, in_reply_to: aMessage(1).message_id }),
  },
  { event: 'message', data: aMessage(1) },
  { event: 'session', data: aSession({ waiting: 1 }) },
];

const SENT: readonly Sent[] = COURSE.map((event, index) => ({ ...event, id: String(index) }));
const fold = (events: readonly ConversationEvent[]): Conversation =>
  events.reduce(afterConversationEvent, EMPTY_CONVERSATION);

/** Follows a server that cuts the connection at random, and repeats up to three events that were sent before. */
async function followedWithCuts(seed: number): Promise<Conversation> {
  let state = EMPTY_CONVERSATION;
  let draws = 0;
  const draw = (bound: number): number => drawBelow(bound, seed, (draws += 1));
  const sent = new Set<string>();
  const open = (cursor: string | null, on: { onEvent(event: Sent): void; onBytes(): void }): Promise<Reply<null>> => {
    on.onBytes();
    const from = cursor === null ? 0 : Math.max(0, Number(cursor) + 1 - draw(4));
    const until = Math.min(SENT.length, from + draw(7));
    for (const event of SENT.slice(from, until)) {
      sent.add(event.id ?? '');
      on.onEvent(event);
      if (event.event === 'run_event' && draw(3) === 0)
        on.onEvent({ id: null, event: 'delta', data: { run_id: RUN_ID, ask: draw(3), attempt: draw(3), text: 'Bo' } });
    }
    return Promise.resolve({ ok: true, data: null });
  };
  await followStream<Sent>(
    {
      open,
      isOver: () => sent.size === SENT.length,
      onEvent: (event) => {
        state = afterConversationEvent(state, event);
      },
      onState: ({ kind }) => {
        if (kind === 'reconnecting') state = afterLostStream(state);
      },
    },
    { signal: new AbortController().signal, wait: () => Promise.resolve(), chance: () => 0 },
  );
  return state;
}

test('lost connections, repeated events and lost deltas never change the conversation', async (context) => {
  const whole = fold(COURSE);
  for (let seed = 1; seed <= 200; seed += 1) {
    const state = await followedWithCuts(seed);
    assert.deepEqual(state.messages, whole.messages, `seed ${seed}`);
    assert.deepEqual([...state.permissions], [...whole.permissions], `seed ${seed}`);
    assert.deepEqual(state.traces.get(RUN_ID)?.events, whole.traces.get(RUN_ID)?.events, `seed ${seed}`);
    assert.equal(state.traces.get(RUN_ID)?.partial ?? null, null, `seed ${seed}`);
  }
  context.diagnostic('200 seeds');
});

test('an answer follows its question, even if another question came between', () => {
  const exchanges = exchangesOf(fold(COURSE));
  assert.deepEqual(
    exchanges.map(({ question, answer }) => [question?.number, answer?.number]),
    [
      [1, 3],
      [2, undefined],
    ],
  );
  assert.deepEqual([exchanges[0]?.trace.events.length, exchanges[0]?.permissions.length], [7, 1]);
  assert.equal(exchanges[1]?.trace.events.length, 0);
});

test('text of the agent that answers no message stands alone', () => {
  const [alone] = exchangesOf(
    fold([{ event: 'message', data: aMessage(1, { author: { role: 'agent', id: 'ada', name: 'Ada' } }) }]),
  );
  assert.deepEqual([alone?.question, alone?.answer?.number], [null, 1]);
});

test('the line of the village about the end of a message is not shown beside it; any other line stands alone', () => {
  const author = { role: 'system', id: 'village', name: 'The village' } as const;
  const asked = aMessage(1, { state: 'cancelled' });
  const ended = aMessage(2, { author, in_reply_to: asked.message_id });
  const shown = (...messages: readonly (typeof asked)[]) =>
    exchangesOf(fold(messages.map((data) => ({ event: 'message', data })))).map((each) => [
      each.question?.number,
      each.answer?.number,
    ]);
  assert.deepEqual(shown(asked, ended, aMessage(3)), [
    [1, undefined],
    [3, undefined],
  ]);
  assert.deepEqual(shown(ended), [[undefined, 2]]);
});

test("a person's answer to a question of the agent stands between the message and its answer", () => {
  const asked = aMessage(1);
  const reply = aMessage(2, { run_id: null, in_reply_to: asked.message_id });
  const author = { role: 'agent', id: 'ada', name: 'Ada' } as const;
  const done = aMessage(3, { author, in_reply_to: asked.message_id });
  const shown = (...messages: readonly (typeof asked)[]) =>
    exchangesOf(fold(messages.map((data) => ({ event: 'message', data })))).map((each) => [
      each.question?.number,
      each.replies.map(({ number }) => number),
      each.answer?.number,
    ]);
  assert.deepEqual(shown(asked, reply, done), [[1, [2], 3]]);
  assert.deepEqual(shown(reply), [[2, [], undefined]], 'it stands alone if the message is not read');
});

test('a reply of a person changes its exchange', () => {
  const asked = { event: 'message', data: aMessage(1) } as const;
  const reply = aMessage(2, { run_id: null, in_reply_to: aMessage(1).message_id });
  const [before] = exchangesOf(fold([asked]));
  const [after] = exchangesOf(fold([asked, { event: 'message', data: reply }]));
  assert.ok(before !== undefined && after !== undefined && !sameExchange(before, after));
});

test('the oldest open question takes what a person writes; a request for a permission never does', () => {
  const question = (id: string, more: Partial<Permission>): ConversationEvent => ({
    event: 'permission',
    data: aPermission({ permission_id: id, why: 'question', question: 'Which?', ...more }),
  });
  const later = question('b', { asked_at: '2026-11-23T12:05:00Z' });
  assert.equal(openQuestion(fold([later, question('a', {})]))?.permission_id, 'a');
  assert.equal(openQuestion(fold([later, question('a', { state: 'expired' })]))?.permission_id, 'b');
  assert.equal(openQuestion(fold([{ event: 'permission', data: aPermission() }])), null);
});

test('the state of a run is added to its messages, and never reverts a final state', () => {
  const state = fold(COURSE);
  const ended = withRuns(state, [aRun({ state: 'done', runtime: 'scripted' }), aRun({ run_id: 'another' })]);
  assert.deepEqual([ended.traces.get(RUN_ID)?.run?.runtime, ended.traces.has('another')], ['scripted', false]);
  assert.equal(withRuns(ended, [aRun()]).traces.get(RUN_ID)?.run?.state, 'done');
});

test('streaming words change only their exchange, and an unchanged list of runs changes none', () => {
  const begun = fold([
    ...COURSE,
    { event: 'message', data: aMessage(4, { state: 'working', run_id: OTHER_RUN }) },
    { event: 'run_event', data: { ...aModelEvent(1, 'model_asked'), run_id: OTHER_RUN } },
  ]);
  const before = withRuns(begun, [aRun({ state: 'done' })]);
  const delta = { run_id: OTHER_RUN, ask: 0, attempt: 1, text: 'Good' };
  const changed = (after: Conversation): readonly number[] => {
    const known = exchangesOf(before);
    return exchangesOf(after).flatMap((exchange, index) => {
      const old = known[index];
      return old !== undefined && sameExchange(old, exchange) ? [] : [index];
    });
  };
  assert.deepEqual(changed(afterConversationEvent(before, { event: 'delta', data: delta })), [2]);
  assert.deepEqual(changed(withRuns(before, [aRun({ state: 'done' })])), []);
  const answered = aPermission({ state: 'denied', answer: 'deny' });
  assert.deepEqual(changed(afterConversationEvent(begun, { event: 'permission', data: answered })), [0]);
});

test('the stream can carry the state of a run itself', () => {
  const after = fold([...COURSE, { event: 'run', data: aRun({ state: 'done', runtime: 'scripted' }) }]);
  assert.equal(after.traces.get(RUN_ID)?.run?.runtime, 'scripted');
});

test('after a reset the conversation begins again', () => {
  assert.deepEqual(fold([...COURSE, { event: 'reset', data: {} }]), EMPTY_CONVERSATION);
});

test('a report is shown with its question, newer versions replace older ones, and the answer stays separate', () => {
  const author = { role: 'agent', id: 'ada', name: 'Ada' } as const;
  const report = (version: number): ConversationEvent => ({
    event: 'message',
    data: aMessage(3, { author, progress: true, version, text: `Now: ${version}` }),
  });
  const asked = { event: 'message', data: aMessage(1, { state: 'working' }) } as const;
  const reported = fold([asked, report(1), report(3), report(2)]);
  const shown = exchangesOf(reported).map((each) => [each.question?.number, each.answer, each.report?.version]);
  assert.deepEqual(shown, [[1, null, 3]]);
  const answer = aMessage(4, { author, in_reply_to: aMessage(1).message_id });
  const [ended] = exchangesOf(fold([asked, report(3), { event: 'message', data: answer }]));
  assert.deepEqual([ended?.answer?.number, ended?.report?.version], [4, 3]);
  const [alone] = exchangesOf(fold([report(2)]));
  assert.deepEqual([alone?.question, alone?.answer, alone?.report?.version], [null, null, 2]);
});

test('runs are read when a message begins and ends, and again only while its run has not ended', () => {
  const versions = COURSE.map((_, index) => runReads(fold(COURSE.slice(0, index + 1))).version);
  assert.deepEqual([versions[0], versions[3], versions.at(-1)], [0, 1, 4]);
  assert.equal(new Set(versions).size, 4, 'words, calls and permissions of a running message cause no read');
  const ended = fold(COURSE);
  assert.equal(runReads(ended).isStale, false, 'no read waits for a run that the page does not know');
  assert.equal(runReads(withRuns(ended, [aRun()])).isStale, true);
  assert.equal(runReads(withRuns(ended, [aRun({ state: 'done' })])).isStale, false);
});
