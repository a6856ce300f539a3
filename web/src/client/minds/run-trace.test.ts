import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '@hamlet/contract';
import { RUN_ID, aModelEvent, aRun, aRunEvent } from './minds.fixture.ts';
import { afterDelta, afterLostConnection, afterRun, afterRunEvent, EMPTY_TRACE, type RunTrace } from './run-trace.ts';

const delta = (ask: number, attempt: number, text: string): Parameters<typeof afterDelta>[1] => ({
  run_id: RUN_ID,
  ask,
  attempt,
  text,
});
const withEvents = (trace: RunTrace, ...events: RunEvent[]): RunTrace => events.reduce(afterRunEvent, trace);
const words = (trace: RunTrace): string | null => trace.partial?.text ?? null;

test('deltas are appended, and a new attempt replaces the text of the earlier one', () => {
  let trace = withEvents(EMPTY_TRACE, aModelEvent(1, 'model_asked', { ask: 0, attempt: 1 }));
  trace = afterDelta(afterDelta(trace, delta(0, 1, 'Bob ')), delta(0, 1, 'wants rope'));
  assert.equal(words(trace), 'Bob wants rope');
  assert.equal(words(withEvents(trace, aModelEvent(2, 'model_asked', { ask: 0, attempt: 2 }))), null);
  const second = afterDelta(trace, delta(0, 2, 'Bob says'));
  assert.equal(words(second), 'Bob says');
  assert.equal(words(afterDelta(second, delta(0, 1, ' late'))), 'Bob says', 'a late piece of the first attempt');
});

test('the end of an answer removes its streamed words; a late delta does not restore them', () => {
  const streamed = afterDelta(EMPTY_TRACE, delta(0, 1, 'I ask him.'));
  const answered = aModelEvent(2, 'model_answered', { ask: 0, attempt: 1, text: 'I ask him.' });
  const trace = withEvents(streamed, answered);
  assert.equal(words(trace), null);
  assert.equal(trace.said.size, 0, 'the event has the words');
  assert.equal(words(afterDelta(trace, delta(0, 1, 'I ask'))), null);
  assert.equal(words(afterDelta(trace, delta(1, 1, 'He'))), 'He', 'the next answer streams');
});

test('the streamed words of an answer without stored text stay; those of a failed answer are withdrawn', () => {
  const streamed = afterDelta(EMPTY_TRACE, delta(0, 1, 'I ask him.'));
  const answered = withEvents(streamed, aModelEvent(2, 'model_answered', { ask: 0, attempt: 1 }));
  assert.deepEqual([...answered.said], [[0, 'I ask him.']]);
  const failed = withEvents(streamed, aModelEvent(2, 'model_failed', { ask: 0, attempt: 1, code: 'overloaded' }));
  assert.deepEqual([failed.partial, failed.said.size], [null, 0]);
});

for (const event of ['interrupted', 'lapsed', 'settled', 'waiting'] as const)
  test(`${event} withdraws the words of a streaming answer`, () => {
    assert.equal(words(withEvents(afterDelta(EMPTY_TRACE, delta(0, 1, 'Bo')), aRunEvent(2, event))), null);
  });

test('after a lost connection the streamed words have one gap', () => {
  const broken = afterLostConnection(afterLostConnection(afterDelta(EMPTY_TRACE, delta(0, 1, 'Bob wants'))));
  assert.equal(
    words(afterDelta(afterDelta(broken, delta(0, 1, 'long')), delta(0, 1, ' rope'))),
    'Bob wants … long rope',
  );
});

test('an ended run stays ended and accepts no more deltas', () => {
  const ended = afterRun(EMPTY_TRACE, aRun({ state: 'cancelled' }));
  assert.equal(afterRun(ended, aRun({ state: 'running' })).run?.state, 'cancelled');
  assert.equal(words(afterDelta(ended, delta(0, 1, 'Bob'))), null);
  assert.equal(words(afterRun(afterDelta(EMPTY_TRACE, delta(0, 1, 'Bob')), aRun({ state: 'failed' }))), null);
});

test('events in any order, even repeated, are sorted by number', () => {
  const events = [1, 2, 3, 4].map((number) => aRunEvent(number, 'step'));
  const [one, two, three, four] = events as [RunEvent, RunEvent, RunEvent, RunEvent];
  const trace = withEvents(EMPTY_TRACE, two, one, two, four, three, one, four);
  assert.deepEqual(trace.events, events);
  assert.equal(afterRunEvent(trace, three), trace, 'a repeated event leaves the trace the same object');
});
