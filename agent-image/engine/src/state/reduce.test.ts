import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JournalEvent } from '../journal/event.ts';
import { aCall, anEvent, aRef, BUDGETS } from '../testing/an-event.ts';
import { decide } from './decide.ts';
import type { IllegalMove } from './move.ts';
import { reduce } from './reduce.ts';
import { currentCalls, isLastRequest, unsettledCalls, type RunState } from './run-state.ts';

function after(events: readonly JournalEvent[]): RunState {
  let state: RunState | null = null;
  for (const event of events) {
    const next = reduce(state, event);
    if (!next.ok) return assert.fail(`${event.type} was refused: ${next.code}`);
    state = next.state;
  }
  return state ?? assert.fail('no events');
}

const refusal = (events: readonly JournalEvent[], event: JournalEvent): IllegalMove | 'legal' => {
  const next = reduce(events.length === 0 ? null : after(events), event);
  return next.ok ? 'legal' : next.code;
};

const opened = [anEvent('run_opened'), anEvent('stage_opened')];
const asked = [...opened, anEvent('model_asked')];
const failing = [...asked, anEvent('model_failed')];
const answered = [...asked, anEvent('model_answered')];
const called = [...asked, anEvent('model_answered', { calls: [aCall()] })];
const running = [...called, anEvent('tool_intent')];
const settled = [...running, anEvent('tool_settled')];
const unknown = [...running, anEvent('tool_unknown')];
const questioned = [...called, anEvent('permission_asked')];
const doubted = [...unknown, anEvent('permission_asked', { why: 'unknown' })];
const cancelled = [...called, anEvent('cancel_asked')];
const resumed = (events: readonly JournalEvent[], volumeLost = false) => [
  ...events,
  anEvent('run_resumed', { fence: 2, volumeLost }),
];
const done = anEvent('run_closed', { outcome: { kind: 'done', answer: aRef('answer') } });

const ILLEGAL: readonly (readonly [string, readonly JournalEvent[], JournalEvent, IllegalMove])[] = [
  ['anything before the opening', [], anEvent('model_asked'), 'not_opened'],
  ['a second opening', opened, anEvent('run_opened'), 'already_opened'],
  ['an event of another run', opened, anEvent('model_asked', { run: 'r2' }), 'wrong_run'],
  ['an event of an older engine', resumed(called), anEvent('tool_intent'), 'stale_fence'],
  ['an event of a newer engine that did not resume', opened, anEvent('model_asked', { fence: 2 }), 'stale_fence'],
  ['a resumption by the same engine', opened, anEvent('run_resumed'), 'stale_fence'],
  ['a request outside of a stage', [anEvent('run_opened')], anEvent('model_asked'), 'stage_order'],
  ['a second opening of the stage', opened, anEvent('stage_opened'), 'stage_order'],
  ['a second request at once', asked, anEvent('model_asked', { attempt: 2 }), 'already_asking'],
  ['a request while calls are open', called, anEvent('model_asked', { ask: 2 }), 'calls_open'],
  ['an answer that was not asked for', opened, anEvent('model_answered'), 'not_asking'],
  ['an answer to an older attempt', asked, anEvent('model_answered', { attempt: 2 }), 'not_asking'],
  ['an intent of a call that the model did not make', called, anEvent('tool_intent', { call: '9.9' }), 'no_such_call'],
  ['an intent with other arguments', called, anEvent('tool_intent', { arguments: aRef('other') }), 'diverged'],
  ['an intent of another tool', called, anEvent('tool_intent', { tool: 'pay' }), 'diverged'],
  ['an intent while the call runs', running, anEvent('tool_intent', { attempt: 2 }), 'wrong_phase'],
  ['an intent of a settled call', settled, anEvent('tool_intent', { attempt: 2 }), 'wrong_phase'],
  ['a second intent of a once call', unknown, anEvent('tool_intent', { attempt: 2 }), 'would_repeat'],
  ['an intent with the number of an attempt that was', unknown, anEvent('tool_intent'), 'would_repeat'],
  ['an intent while a person decides', questioned, anEvent('tool_intent'), 'wrong_phase'],
  [
    'an intent after a denial',
    [...questioned, anEvent('permission_answered', { answer: 'deny' })],
    anEvent('tool_intent'),
    'wrong_phase',
  ],
  [
    'an intent after an expired question',
    [...questioned, anEvent('permission_expired')],
    anEvent('tool_intent'),
    'wrong_phase',
  ],
  ['a summary while calls are open', called, anEvent('turns_compacted'), 'calls_open'],
  ['a summary of more turns than there are', settled, anEvent('turns_compacted', { turns: 9 }), 'wrong_phase'],
  [
    'a summary of no more than the one before it',
    [...settled, anEvent('turns_compacted')],
    anEvent('turns_compacted'),
    'wrong_phase',
  ],
  ['a result of a call without intent', called, anEvent('tool_settled'), 'wrong_phase'],
  ['a second result', settled, anEvent('tool_settled', { outcome: 'failed' }), 'wrong_phase'],
  [
    'a second answer to one question',
    [...questioned, anEvent('permission_answered')],
    anEvent('permission_answered'),
    'no_such_request',
  ],
  ['an answer to another question', questioned, anEvent('permission_answered', { request: 'q2' }), 'no_such_request'],
  [
    '"repeat" as an answer to the policy',
    questioned,
    anEvent('permission_answered', { answer: 'repeat' }),
    'wrong_phase',
  ],
  ['"allow" as an answer about an unknown call', doubted, anEvent('permission_answered'), 'wrong_phase'],
  ['a second warning', [...opened, anEvent('budget_warned')], anEvent('budget_warned'), 'already_warned'],
  ['a second demand to finish', [...opened, anEvent('finish_asked')], anEvent('finish_asked'), 'already_warned'],
  ['parking without a failed request', asked, anEvent('parked'), 'not_asking'],
  ['parking twice', [...failing, anEvent('parked')], anEvent('parked'), 'not_asking'],
  [
    'a failure with words that the run did not end with',
    answered,
    anEvent('run_closed', { outcome: { kind: 'failed', code: 'x', answer: aRef('other') } }),
    'nothing_done',
  ],
  ['a call after a cancel', cancelled, anEvent('tool_intent'), 'cancelled'],
  ['a request after a cancel', [...opened, anEvent('cancel_asked')], anEvent('model_asked'), 'cancelled'],
  ['a question after a cancel', cancelled, anEvent('permission_asked'), 'cancelled'],
  ['a call after an interruption', [...called, anEvent('interrupted')], anEvent('tool_intent'), 'interrupted'],
  ['"done" after a cancel', [...answered, anEvent('cancel_asked')], done, 'cancelled'],
  ['"cancelled" without a cancel', opened, anEvent('run_closed', { outcome: { kind: 'cancelled' } }), 'wrong_phase'],
  ['"done" of a run that did nothing', opened, done, 'nothing_done'],
  ['"done" without a word', [...asked, anEvent('model_answered', { hasText: false })], done, 'nothing_done'],
  ['"done" with calls open', called, done, 'nothing_done'],
  ['a closing that hides an unsettled call', running, anEvent('run_closed'), 'unsettled_differs'],
  ['anything after the closing', [...opened, anEvent('run_closed')], anEvent('cancel_asked'), 'closed'],
];

for (const [title, before, event, code] of ILLEGAL) {
  test(`refused: ${title}`, () => assert.equal(refusal(before, event), code));
}

test('a text answer ends the run as done', () => {
  assert.deepEqual(decide(after(answered)), [{ type: 'close', outcome: { kind: 'done', answer: aRef('answer') } }]);
  assert.equal(after([...answered, done]).outcome?.kind, 'done');
});

test('a raise during the last request asks again with tools; a raise during any other request waits for its answer', () => {
  const raise = anEvent('budgets_raised', { budgets: { ...BUDGETS, steps: BUDGETS.steps + 1 } });
  const last = [...opened, anEvent('finish_asked', { code: 'budget_steps' }), anEvent('model_asked', { attempt: 5 })];
  assert.equal(isLastRequest(after(last)), true);
  const withdrawn = after([...last, raise, anEvent('model_failed', { attempt: 5, code: 'limits_raised' })]);
  assert.deepEqual(decide(withdrawn), [{ type: 'ask_model', ask: 1, attempt: 6, delayMs: 0 }]);
  assert.deepEqual([isLastRequest(withdrawn), withdrawn.counts.map(({ afterTurns }) => afterTurns)], [false, [0]]);
  const { counts, asking } = after([...asked, raise]);
  assert.deepEqual([counts[0]?.afterTurns, asking.attemptsBefore], [1, 0]);
});

test('another engine takes over with a higher fence: a pending request is lost, and a running call becomes unknown', () => {
  const state = after(resumed(running));
  assert.equal(state.fence, 2);
  assert.equal(currentCalls(state)[0]?.phase, 'unknown');
  assert.deepEqual(after(resumed(asked)).asking.failure, { code: 'lost', retryable: true, retryAfterMs: null });
});

test('a person permits one repeat of an unknown call', () => {
  const again = [
    ...doubted,
    anEvent('permission_answered', { answer: 'repeat' }),
    anEvent('tool_intent', { attempt: 2 }),
  ];
  assert.equal(currentCalls(after(again))[0]?.attempt, 2);
  assert.equal(
    refusal([...again, anEvent('tool_unknown', { attempt: 2 })], anEvent('tool_intent', { attempt: 3 })),
    'would_repeat',
  );
});

test("a denial settles the call at once, with the person's words", () => {
  const words = aRef('words');
  const denied = after([...questioned, anEvent('permission_answered', { answer: 'deny', words })]);
  const [call] = currentCalls(denied);
  assert.deepEqual(call?.question, { request: 'q1', why: 'policy', answer: 'deny', words });
  const outcome = { kind: 'denied', code: 'person', text: 'A person refused the call.' };
  assert.deepEqual(decide(denied), [{ type: 'settle_call', call, outcome }]);
});

test('a keyed call repeats only with its key', () => {
  const keyed = { effect: 'keyed', key: aRef('key') } as const;
  const before = [
    ...asked,
    anEvent('model_answered', { calls: [aCall({ effect: 'keyed' })] }),
    anEvent('tool_intent', keyed),
    anEvent('tool_unknown'),
  ];
  assert.equal(refusal(before, anEvent('tool_intent', { ...keyed, attempt: 2 })), 'legal');
  assert.equal(refusal(before, anEvent('tool_intent', { ...keyed, key: aRef('other'), attempt: 2 })), 'diverged');
  assert.equal(refusal(before, anEvent('tool_intent', { ...keyed, effect: 'read', attempt: 2 })), 'diverged');
});

test('a cancel lists calls that may have happened, except reads', () => {
  assert.deepEqual(unsettledCalls(after([...running, anEvent('cancel_asked')])), ['1.0']);
  const read = aCall({ effect: 'read' });
  const reading = [...asked, anEvent('model_answered', { calls: [read] }), anEvent('tool_intent', { effect: 'read' })];
  assert.deepEqual(unsettledCalls(after(reading)), []);
  assert.deepEqual(decide(after(cancelled)), [{ type: 'close', outcome: { kind: 'cancelled' } }]);
});

const threeCalls = (...effects: readonly ('read' | 'once' | null)[]) =>
  after([
    ...asked,
    anEvent('model_answered', { calls: effects.map((effect, index) => aCall({ id: `1.${index}`, effect })) }),
  ]);

test('reads start in parallel, other calls one after another', () => {
  const started = (state: RunState) =>
    decide(state).map((command) => (command.type === 'start_call' ? command.call.id : command.type));
  assert.deepEqual(started(threeCalls('read', 'read', 'once')), ['1.0', '1.1']);
  assert.deepEqual(started(threeCalls('once', 'read', 'read')), ['1.0']);
  assert.deepEqual(started(threeCalls('read', null, 'read')), ['1.0', '1.1', '1.2']);
  assert.deepEqual(started(after(running)), []);
});

test('run time counts only while an engine works, by its monotonic clock', () => {
  const late = { at: 1_800_003_600_000, elapsedMs: 5 };
  const early = { at: 1_799_996_400_000, elapsedMs: 7 };
  const state = after([anEvent('run_opened'), anEvent('stage_opened', late), anEvent('model_asked', early)]);
  assert.equal(state.spent.timeMs, 12);
});

test('reducer and decisions have at most 600 lines', () => {
  const files = ['move', 'reduce', 'reduce-model', 'reduce-call', 'decide'];
  const lines = files.flatMap((file) =>
    readFileSync(join(import.meta.dirname, `${file}.ts`), 'utf8')
      .trimEnd()
      .split('\n'),
  );
  assert.ok(lines.length <= 600, `${lines.length} lines`);
});
