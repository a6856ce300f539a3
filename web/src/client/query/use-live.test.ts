import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { QueryObserver } from '@tanstack/react-query';
import type { Refused, Reply } from '../api.ts';
import { type Answer, answerOptions, createQueries } from './use-live.ts';

const REFUSED: Refused = { code: 'unreachable', title: 'Away', detail: '', status: 0, errors: [] };
const HOUR_MS = 3_600_000;

/** A question that the test answers, and the calls that it made. */
function asked(context: TestContext): {
  readonly calls: { readonly signal: AbortSignal; readonly answer: (reply: Reply<number[]>) => void }[];
  observe(viewer?: string | null): QueryObserver<Answer<number[]>>;
  settled(): Promise<void>;
} {
  const queries = createQueries();
  context.after(() => queries.clear());
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

test('components with the same query share one request; removing the last one aborts it', async (context) => {
  const { calls, observe, settled } = asked(context);
  const leave = [observe(), observe()].map((observer) => observer.subscribe(() => undefined));
  await settled();
  assert.equal(calls.length, 1);
  leave[0]?.();
  assert.equal(calls[0]?.signal.aborted, false);
  leave[1]?.();
  assert.equal(calls[0]?.signal.aborted, true);
});

test('a refusal keeps the known rows, and unchanged rows stay the same objects', async (context) => {
  const { calls, observe, settled } = asked(context);
  const observer = observe();
  context.after(observer.subscribe(() => undefined));
  await settled();
  calls[0]?.answer({ ok: true, data: [1, 2] });
  await settled();
  const first = observer.getCurrentResult().data?.data;
  assert.deepEqual(first, [1, 2]);
  const replies: Reply<number[]>[] = [
    { ok: false, refused: REFUSED },
    { ok: true, data: [1, 2] },
  ];
  for (const [at, reply] of replies.entries()) {
    void observer.refetch();
    await settled();
    assert.equal(observer.getCurrentResult().data?.data, first, 'while it asks');
    calls[at + 1]?.answer(reply);
    await settled();
    assert.equal(observer.getCurrentResult().data?.data, first);
    assert.equal(observer.getCurrentResult().data?.refused, reply.ok ? null : REFUSED);
  }
});

test('another viewer does not see the answers of the first one', async (context) => {
  const { calls, observe, settled } = asked(context);
  const admin = observe('admin');
  context.after(admin.subscribe(() => undefined));
  await settled();
  calls[0]?.answer({ ok: true, data: [1] });
  await settled();
  const visitor = observe(null);
  context.after(visitor.subscribe(() => undefined));
  assert.equal(visitor.getCurrentResult().data, undefined);
});
