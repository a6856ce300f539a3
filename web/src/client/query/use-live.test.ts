import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryObserver } from '@tanstack/react-query';
import type { Reply } from '../api.ts';
import { refusal } from '../api.fixture.ts';
import type { Answer, PagesState } from './use-live.ts';
import {
  answerAfter,
  answerOptions,
  createQueries,
  Intents,
  isFinal,
  waitMs,
  withFirst,
  withLater,
} from './use-live.ts';

const REFUSED = refusal('unreachable', 0);
const HOUR_MS = 3_600_000;

/** A query that the test answers, and the requests that it made. */
function asked(): {
  readonly calls: { readonly signal: AbortSignal; readonly answer: (reply: Reply<number[]>) => void }[];
  observe(viewer?: string | null): QueryObserver<Answer<number[]>>;
  settled(): Promise<void>;
} {
  const queries = createQueries(0);
  const calls: ReturnType<typeof asked>['calls'] = [];
  const read = (signal: AbortSignal): Promise<Reply<number[]>> =>
    new Promise((answer) => {
      calls.push({ signal, answer });
    });
  return {
    calls,
    observe: (viewer = null) =>
      new QueryObserver(queries, answerOptions({ queries, viewer }, { key: ['bread'], read, everyMs: HOUR_MS })),
    settled: () => new Promise((resolve) => setTimeout(resolve, 0)),
  };
}

test('components with the same query share one request; removing the last one aborts it', async () => {
  const { calls, observe, settled } = asked();
  const leave = [observe(), observe()].map((observer) => observer.subscribe(() => undefined));
  await settled();
  assert.equal(calls.length, 1);
  leave[0]?.();
  assert.equal(calls[0]?.signal.aborted, false);
  leave[1]?.();
  assert.equal(calls[0]?.signal.aborted, true);
});

test('a refusal keeps the known rows, and unchanged rows stay the same objects', async (context) => {
  const { calls, observe, settled } = asked();
  const observer = observe();
  context.after(observer.subscribe(() => undefined));
  await settled();
  calls[0]?.answer({ ok: true, data: [1, 2] });
  await settled();
  const first = observer.getCurrentResult().data?.data;
  assert.deepEqual(first, [1, 2]);
  const replies: Reply<number[]>[] = [REFUSED, { ok: true, data: [1, 2] }];
  for (const [at, reply] of replies.entries()) {
    void observer.refetch();
    await settled();
    assert.equal(observer.getCurrentResult().data?.data, first, 'while it asks');
    calls[at + 1]?.answer(reply);
    await settled();
    assert.equal(observer.getCurrentResult().data?.data, first);
    assert.equal(observer.getCurrentResult().data?.refused, reply.ok ? null : reply.refused);
  }
});

test('another viewer does not see cached answers of the first one', async (context) => {
  const { calls, observe, settled } = asked();
  const admin = observe('admin');
  context.after(admin.subscribe(() => undefined));
  await settled();
  calls[0]?.answer({ ok: true, data: [1] });
  await settled();
  const visitor = observe(null);
  context.after(visitor.subscribe(() => undefined));
  assert.equal(visitor.getCurrentResult().data, undefined);
});

type Row = Readonly<{ id: number; state: string }>;
const idOf = ({ id }: Row): string => String(id);
const rows = (...ids: readonly number[]): Row[] => ids.map((id) => ({ id, state: 'as read' }));
const ids = (state: PagesState<Row>): readonly number[] => state.rows.map(({ id }) => id);

/** A list of six rows, newest first, read in two pages of three. */
function twoPages(): PagesState<Row> {
  const first = withFirst<Row>(null, { rows: rows(6, 5, 4), next: 'after 4' }, idOf);
  return withLater(first, { from: 'after 4', page: { rows: rows(3, 2, 1), next: 'after 1' } }, idOf);
}

test('rows that newer rows push off the first page stay in the list', () => {
  const state = withFirst(twoPages(), { rows: rows(8, 7, 6), next: 'after 6' }, idOf);
  assert.deepEqual(ids(state), [8, 7, 6, 5, 4, 3, 2, 1]);
  assert.equal(state.next, 'after 1', 'the next page begins at the end of the list');
});

test("if a row is on both pages, the first page's copy counts; a row removed from the first page is gone", () => {
  const state = withFirst(
    twoPages(),
    {
      rows: [
        { id: 7, state: 'new' },
        { id: 5, state: 'done' },
        { id: 4, state: 'done' },
      ],
      next: 'after 4',
    },
    idOf,
  );
  assert.deepEqual(ids(state), [7, 5, 4, 3, 2, 1]);
  assert.equal(state.rows[1]?.state, 'done');
});

test('the list starts again if so many rows came that the pages no longer meet, so it never hides a gap', () => {
  const state = withFirst(twoPages(), { rows: rows(12, 11, 10), next: 'after 10' }, idOf);
  assert.deepEqual([ids(state), state.next, state.pages], [[12, 11, 10], 'after 10', 1]);
});

test('a complete first page replaces all known rows', () => {
  assert.deepEqual(ids(withFirst(twoPages(), { rows: rows(2), next: null }, idOf)), [2]);
  assert.deepEqual(ids(withFirst(twoPages(), { rows: [], next: null }, idOf)), []);
});

test('a list of one page drops rows that newer rows push off it', () => {
  const one = withFirst<Row>(null, { rows: rows(6, 5, 4), next: 'after 4' }, idOf);
  const state = withFirst(one, { rows: rows(7, 6, 5), next: 'after 5' }, idOf);
  assert.deepEqual([ids(state), state.next], [[7, 6, 5], 'after 5']);
});

test('a later page is not added if the list has changed meanwhile', () => {
  const state = twoPages();
  assert.equal(withLater(state, { from: 'after 4', page: { rows: rows(3), next: null } }, idOf), state);
});

test('a row that moves to the later page during the read is shown once', () => {
  const first = withFirst<Row>(null, { rows: rows(6, 5, 4), next: 'after 4' }, idOf);
  assert.deepEqual(
    ids(withLater(first, { from: 'after 4', page: { rows: rows(4, 3), next: null } }, idOf)),
    [6, 5, 4, 3],
  );
});

const SHORT_OF_MONEY = refusal('insufficient_funds', 409);

/** A sender with numbered keys, and the keys that it used. */
function started(): {
  readonly sender: Intents;
  readonly used: string[];
  send(reply: Reply<unknown>, intent?: string): Promise<unknown>;
} {
  let made = 0;
  const used: string[] = [];
  const sender = new Intents(() => `key ${++made}`);
  return {
    sender,
    used,
    send: (reply, intent) =>
      sender.send((key) => {
        used.push(key);
        return Promise.resolve(reply);
      }, intent),
  };
}

test('after a final refusal a new key is used, so the same act can succeed when the cause is gone', async () => {
  const { used, send, sender } = started();
  await send(SHORT_OF_MONEY);
  assert.equal(sender.state.get().refused?.code, 'insufficient_funds');
  await send({ ok: true, data: null });
  assert.deepEqual(used, ['key 1', 'key 2']);
  assert.deepEqual(sender.state.get(), { busy: false, refused: null, done: true });
});

test('a lost answer, a server error and a temporary refusal keep the key, so a repeated write acts once', async () => {
  for (const reply of [
    refusal('unreachable', 0),
    refusal('internal', 500),
    refusal('idempotency_in_flight', 409),
    refusal('rate_limited', 429),
  ]) {
    const { used, send } = started();
    await send(reply);
    await send({ ok: true, data: null });
    assert.deepEqual(used, ['key 1', 'key 1'], JSON.stringify(reply));
  }
});

test('a success or an edit replaces the key', async () => {
  const { used, send, sender } = started();
  await send({ ok: true, data: null });
  await send(refusal('unreachable', 0));
  sender.changed();
  assert.equal(sender.state.get().refused, null, 'the refusal was about the earlier text');
  await send({ ok: true, data: null });
  assert.deepEqual(used, ['key 1', 'key 2', 'key 3']);
});

test('a different body of the same form never reuses the key', async () => {
  const { used, send } = started();
  await send(refusal('unreachable', 0), 'disable');
  await send(refusal('unreachable', 0), 'make admin');
  await send({ ok: true, data: null }, 'make admin');
  assert.deepEqual(used, ['key 1', 'key 2', 'key 2']);
});

test('a second write is not sent while the first is pending, and a call that throws does not lock the form', async () => {
  const sender = new Intents();
  let answer: (reply: Reply<string>) => void = () => undefined;
  const first = sender.send<string>(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  assert.equal(sender.state.get().busy, true);
  assert.equal(await sender.send(() => Promise.resolve({ ok: true, data: 'second' })), null);
  answer({ ok: true, data: 'first' });
  assert.deepEqual(await first, { ok: true, data: 'first' });
  await assert.rejects(sender.send(() => Promise.reject(new Error('a bug'))));
  assert.equal(sender.state.get().busy, false);
});

test('an unknown code is final depending on its status', () => {
  assert.equal(isFinal({ code: 'insufficient_funds', status: 409 }), true);
  assert.equal(isFinal({ code: 'unreachable', status: 0 }), false);
  assert.equal(isFinal({ code: 'internal', status: 503 }), false);
});

test('success keeps the interval; failures double the wait up to 15 s, half of it random', () => {
  assert.equal(waitMs(2000, { failures: 0, chance: 0.7 }), 2000);
  assert.deepEqual(
    [1, 2, 3, 50].map((failures) => waitMs(2000, { failures, chance: 1 })),
    [4000, 8000, 15_000, 15_000],
  );
  assert.equal(waitMs(2000, { failures: 2, chance: 0 }), 4000);
  assert.equal(waitMs(60_000, { failures: 3, chance: 1 }), 60_000, 'a long interval does not grow');
});

test('a failure keeps the last good data with the refusal and increases the count; success resets it', () => {
  const good = answerAfter(undefined, { ok: true, data: 'bread' }, 0.5);
  assert.deepEqual(good, { data: 'bread', refused: null, failures: 0, chance: 0 });
  const failed = answerAfter(good, REFUSED, 0.5);
  assert.deepEqual(failed, { data: 'bread', refused: REFUSED.refused, failures: 1, chance: 0.5 });
  assert.equal(answerAfter(failed, REFUSED, 0.5).failures, 2);
  assert.deepEqual(answerAfter(failed, { ok: true, data: 'cake' }, 0.5).failures, 0);
  assert.equal(answerAfter<string>(undefined, REFUSED, 0.5).data, null);
});
