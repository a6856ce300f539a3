import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission, RunEvent } from '@hamlet/contract';
import { aCallEvent, aModelEvent, aPermission, aRunEvent } from './minds.fixture.ts';
import { afterDelta, afterRunEvent, EMPTY_TRACE } from './run-trace.ts';

import { type CallItem, type ModelItem, newWords, saidIn, stepsSoFar, traceItems, withoutSaid } from './trace-items.ts';

const items = (events: readonly RunEvent[], permissions: readonly Permission[] = []): ReturnType<typeof traceItems> =>
  traceItems(events.reduce(afterRunEvent, EMPTY_TRACE), permissions);
const callOf = (events: readonly RunEvent[], permissions: readonly Permission[] = []): CallItem => {
  const [call] = items(events, permissions).filter((item) => item.kind === 'call');
  assert.ok(call);
  return call;
};
const CALL = { call_id: '2.0', tool: 'go_to', effect: 'idempotent', arguments_text: '{"place":"cafe"}' };
const BEGUN = aCallEvent(2, 'call_begun', CALL);

test('the start and the settlement of a call become one item, with arguments and result', () => {
  const call = callOf([
    BEGUN,
    aCallEvent(3, 'call_settled', { ...CALL, outcome: 'ok', result_text: 'You are at the café.' }),
  ]);
  assert.deepEqual(
    [call.state, call.tool, call.argumentsText, call.resultText, call.witnessed],
    ['done', 'go_to', '{"place":"cafe"}', 'You are at the café.', false],
  );
});

const STATES: readonly (readonly [string, readonly RunEvent[], CallItem['state']])[] = [
  ['begun', [BEGUN], 'running'],
  ['settled', [BEGUN, aCallEvent(3, 'call_settled', { ...CALL, outcome: 'ok' })], 'done'],
  ['timed out', [BEGUN, aCallEvent(3, 'call_settled', { ...CALL, outcome: 'timed_out' })], 'failed'],
  ['denied', [BEGUN, aCallEvent(3, 'call_settled', { ...CALL, outcome: 'denied' })], 'denied'],
  ['end unknown', [BEGUN, aCallEvent(3, 'call_unknown', CALL)], 'unknown'],
  [
    'repeated after an unknown outcome',
    [BEGUN, aCallEvent(3, 'call_unknown', CALL), aCallEvent(4, 'call_begun', CALL)],
    'running',
  ],
  ['run ended before it', [BEGUN, aRunEvent(3, 'settled', { state: 'cancelled' })], 'left'],
];
for (const [name, events, state] of STATES)
  test(`the state of a call: ${name}`, () => {
    assert.equal(callOf(events).state, state);
  });

test('a call waits while a person is asked, and its requests are in order', () => {
  const first = aPermission({ state: 'expired', asked_at: '2026-11-23T11:00:00Z', permission_id: 'p0' });
  const call = callOf([BEGUN], [aPermission(), first]);
  assert.equal(call.state, 'waiting');
  assert.deepEqual(
    call.permissions.map(({ state }) => state),
    ['expired', 'pending'],
  );
  assert.equal(callOf([BEGUN], [aPermission({ state: 'allowed' })]).state, 'running');
});

test('words and calls of a program stand in the order in which they happened', () => {
  const say = (number: number, output: string): RunEvent => {
    const claim = JSON.stringify({ kind: 'say', title: '', output });
    const detail = { call_id: `1.0.s${number}`, tool: 'program.say', outcome: 'ok', arguments_text: claim };
    return aCallEvent(number, 'call_settled', detail);
  };
  const edit = { ...CALL, call_id: '1.0.t1', tool: 'program.edit' };
  const events = [say(2, 'I look.'), aCallEvent(3, 'call_begun', edit), say(4, 'It fails.')];
  const found = items([...events, aCallEvent(5, 'call_begun', { ...edit, call_id: '1.0.t2' })]);
  assert.deepEqual(
    found.map((item) => (item.kind === 'said' ? item.text : item.kind)),
    ['I look.', 'call', 'It fails.', 'call'],
  );
  const said = saidIn(found);
  assert.deepEqual(said, ['I look.', 'It fails.']);
  assert.equal(withoutSaid('I look.\n\nIt fails.\n\nRepaired.', said), 'Repaired.');
  assert.equal(withoutSaid('A shortened answer.', said), 'A shortened answer.');
  const writing = (text: string): string | null => {
    const delta = { run_id: aPermission().run_id, ask: 0, attempt: 1, text };
    return newWords(afterDelta(EMPTY_TRACE, delta), found);
  };
  assert.equal(writing('I look.\n\nIt fails.\n\nRepai'), 'Repai');
  assert.equal(writing('fails. It fails.\n\nRepai'), 'Repai', 'a reader who came later');
  assert.equal(writing('I look.\n\nIt fails.'), null, 'the items have all of it');
  assert.equal(newWords(EMPTY_TRACE, found), null);
});

test('a call that was asked for before the end stands before it', () => {
  const settled = aRunEvent(1, 'settled', { state: 'failed' });
  const asked = aPermission({ state: 'withdrawn', asked_at: '2026-11-23T11:00:00Z' });
  assert.deepEqual(
    items([settled], [asked]).map(({ kind }) => kind),
    ['call', 'note'],
  );
});

test('a permission whose call has no event yet shows the call', () => {
  const call = callOf([], [aPermission()]);
  assert.deepEqual([call.tool, call.state, call.argumentsText], ['post_to_board', 'waiting', aPermission().arguments]);
});

test('a write whose request was withdrawn or denied no longer runs; an allowed one does', () => {
  const stateAfter = (state: Permission['state']): string => callOf([], [aPermission({ state })]).state;
  assert.deepEqual((['withdrawn', 'denied', 'expired', 'allowed', 'consumed'] as const).map(stateAfter), [
    'left',
    'denied',
    'denied',
    'running',
    'running',
  ]);
  assert.equal(callOf([BEGUN], [aPermission({ state: 'withdrawn' })]).state, 'running', 'its event says more');
});

test('a settlement that the API saw counts as witnessed', () => {
  const settled = { ...aCallEvent(3, 'call_settled', { ...CALL, outcome: 'ok' }), witnessed: true };
  assert.equal(callOf([BEGUN, settled]).witnessed, true);
});

test('an answer of the model shows model, tokens, cost, text and thoughts; a failed attempt shows its code', () => {
  const [failed, answered] = items([
    aModelEvent(1, 'model_asked', { ask: 0, attempt: 1, model: 'small' }),
    aModelEvent(2, 'model_failed', { ask: 0, attempt: 1, code: 'overloaded' }),
    aModelEvent(3, 'model_asked', { ask: 0, attempt: 2, model: 'small' }),
    aModelEvent(4, 'model_answered', {
      ask: 0,
      attempt: 2,
      usage: { prompt: 100, completion: 20, total: 120 },
      cost: '0.01',
      text: 'I ask him.',
      thoughts: 'He may know.',
    }),
  ]) as ModelItem[];
  assert.deepEqual([failed?.state, failed?.code], ['failed', 'overloaded']);
  assert.deepEqual(
    [answered?.state, answered?.model, answered?.tokens, answered?.cost, answered?.text, answered?.thoughts],
    ['answered', 'small', 120, '0.01', 'I ask him.', 'He may know.'],
  );
});

test('the steps so far are the answers of the model', () => {
  const answer = (number: number): RunEvent => aModelEvent(number, 'model_answered', { ask: number, attempt: 1 });
  assert.equal(stepsSoFar(items([answer(1), answer(2), BEGUN])), 2);
});

test('other events become notes', () => {
  assert.deepEqual(
    items([aRunEvent(1, 'started'), aRunEvent(2, 'waiting')]).map(({ kind }) => kind),
    ['note', 'note'],
  );
});
