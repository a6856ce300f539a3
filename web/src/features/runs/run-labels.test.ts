import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALL_EVENT_KINDS, MODEL_EVENT_KINDS, RUN_EVENT_KINDS, RUN_STATES, type Run } from '@hamlet/contract';
import { afterRunEvent, EMPTY_TRACE } from '../../client/minds/run-trace.ts';
import { traceItems } from '../../client/minds/trace-items.ts';
import { aModelEvent, aRun } from '../../client/minds/minds.fixture.ts';
import {
  eventLabel,
  lastWordsOf,
  mayCancel,
  mayContinue,
  mayRaise,
  repairLabel,
  isShownAnswer,
  outputLabel,
  modelLabel,
  type NoteEvent,
  originLabel,
  parkedLabel,
  runLength,
  scriptedLabel,
  STATE_LABELS,
  stateLabel,
  streamLabel,
  underParents,
  workerLabel,
} from './run-labels.ts';

const run = (more: Partial<Run> = {}): Run =>
  aRun({ kind: 'prompt', state: 'queued', prompt: 'Go home.', attempt: 0, cycle: null, started_at: null, ...more });
const NOW = Date.parse('2026-11-23T12:01:00Z');

test('every state has its own label', () => {
  assert.equal(new Set(RUN_STATES.map((state) => STATE_LABELS[state].word)).size, RUN_STATES.length);
  assert.equal(stateLabel(run({ state: 'running', cancel_requested_at: '2026-11-23T12:00:30Z' })).word, 'Ending');
  assert.equal(stateLabel(run({ state: 'cancelled', cancel_requested_at: '2026-11-23T12:00:30Z' })).word, 'Cancelled');
});

test('a worker is named by its role, or by the stage that it works for', () => {
  const stage = { stage: 'draft', round: 1, attempt: 1, agent: 'critic' };
  assert.equal(workerLabel({ role: '' }), 'A worker');
  assert.equal(workerLabel({ role: 'tester' }), 'The worker “tester”');
  assert.equal(workerLabel({ role: 'draft', stage }), 'The agent critic, for the stage draft');
  const later = { ...stage, round: 2, attempt: 3 };
  assert.equal(workerLabel({ role: 'draft', stage: later }), 'The agent critic, for the stage draft (round 2, try 3)');
});

test('the duration of a run depends on its state: waiting, running, done, never started', () => {
  assert.equal(runLength(run(), NOW), 'waits 1 min');
  assert.equal(runLength(run({ state: 'running', started_at: '2026-11-23T12:00:48Z' }), NOW), '12 s');
  assert.equal(
    runLength(run({ state: 'done', started_at: '2026-11-23T12:00:00Z', ended_at: '2026-11-23T12:00:02.5Z' }), NOW),
    '2.5 s',
  );
  assert.equal(runLength(run({ state: 'cancelled', ended_at: '2026-11-23T12:00:02Z' }), NOW), 'never started');
});

test('a run that waits by itself says why and until when', () => {
  const words = (code: string, state: Run['state'] = 'queued') =>
    parkedLabel({ ...run({ state }), parked: { until: '2026-11-23T14:03:00Z', code } }, (iso) => iso.slice(11, 16));
  assert.equal(words('a_code_of_later'), 'Waits until 14:03: the model does not answer');
  assert.equal(words('unreachable'), 'Waits until 14:03: no server answers at the address of the provider');
  assert.match(words('token_quota_exhausted') ?? '', /tokens for now are used up/);
  assert.equal(words('village_frozen'), 'Waits for the end of the freeze');
  assert.equal(words('network', 'cancelled'), null);
  const parked = { until: '2026-11-23T14:03:00Z', code: 'rate' };
  assert.equal(stateLabel(run({ parked })).word, 'Waits for its model');
  assert.equal(parkedLabel(run(), String), null);
});

test('the label of a run names its origin', () => {
  assert.equal(originLabel(run(), 'mia'), 'from you');
  const named = { ...run(), created_by: { role: 'member', id: 'account mia', name: 'Mia' } };
  assert.deepEqual([originLabel(named, 'mia'), originLabel(named, 'tom')], ['from you', 'from Mia']);
  assert.equal(
    originLabel(run({ schedule: { name: 'morning', uid: 'u', slot: '2026-11-23T12:00:00Z' } }), null),
    'schedule morning',
  );
});

test('every kind of event has a label, with and without its details', () => {
  const isNote = (kind: string): kind is NoteEvent =>
    ![...CALL_EVENT_KINDS, ...MODEL_EVENT_KINDS].some((other) => other === kind);
  for (const event of RUN_EVENT_KINDS.filter(isNote)) assert.notEqual(eventLabel({ event, detail: {} }), '');
  assert.equal(
    eventLabel({ event: 'step', detail: { step: 0, outcome: 'done', text: 'Walked to the café' } }),
    'Step: Walked to the café',
  );
  assert.equal(eventLabel({ event: 'permission_asked', detail: { tool: 'buy' } }), 'Asked a person: Buy');
  assert.equal(eventLabel({ event: 'permission_asked', detail: { tool: 'ask_human' } }), 'Asked a person');
  assert.equal(eventLabel({ event: 'permission_answered', detail: { answer: 'allow' } }), 'A person answered: allow');
  assert.equal(eventLabel({ event: 'permission_answered', detail: { state: 'withdrawn' } }), 'Request withdrawn');
  assert.equal(eventLabel({ event: 'redelivered', detail: { cycle: 7 } }), 'Continued');
  const warned = (code: string) => eventLabel({ event: 'budget_warned', detail: { code } });
  assert.equal(warned('budget_tokens'), 'Most of its tokens are used');
  assert.equal(warned('no_progress'), 'Repeats itself: asked to try another way');
  assert.equal(warned('of_later'), 'Near a limit: of_later');
});

test('the reason of the end is not repeated in the last words of a run', () => {
  const error = { code: 'no_progress', message: 'It repeated itself.' };
  assert.equal(lastWordsOf({ summary: 'It repeated itself.', error }), null);
  assert.equal(lastWordsOf({ summary: 'It repeated itself.\n\nHalf is done.', error }), 'Half is done.');
  assert.equal(lastWordsOf({ summary: 'Half is done.', error }), 'Half is done.');
  assert.equal(lastWordsOf({ summary: 'Done.', error: null }), 'Done.');
});

test('an admin may end any running run, a member only their own', () => {
  assert.equal(mayCancel(run(), { role: 'admin', id: 'keeper' }), true);
  assert.equal(mayCancel(run(), { role: 'member', id: 'mia' }), true);
  assert.equal(mayCancel(run(), { role: 'member', id: 'tom' }), false);
  assert.equal(mayCancel(run({ state: 'done' }), { role: 'admin', id: 'keeper' }), false);
  const budgets = { steps: 40, tokens: 1_000, money: '1', timeMs: 1_000, idleCalls: 10 };
  assert.equal(mayRaise(run({ budgets: null }), { role: 'admin', id: 'keeper' }), false, 'before its first start');
  assert.equal(mayRaise(run({ budgets }), { role: 'member', id: 'mia' }), true);
  assert.equal(mayRaise(run({ budgets }), { role: 'member', id: 'tom' }), false);
});

test('an admin may continue any run that ended at a limit, a member only their own', () => {
  const ended = run({ state: 'failed', error: { code: 'budget_tokens', message: 'All tokens are used.' } });
  assert.equal(mayContinue(ended, { role: 'admin', id: 'keeper' }), true);
  assert.equal(mayContinue(ended, { role: 'member', id: 'mia' }), true);
  assert.equal(mayContinue(ended, { role: 'member', id: 'tom' }), false);
  assert.equal(mayContinue({ ...ended, veiled: true }, { role: 'admin', id: 'keeper' }), false);
  assert.equal(mayContinue(run({ state: 'done' }), { role: 'admin', id: 'keeper' }), false);
});

test('the line of an answer shows model, tokens and cost, or the failure', () => {
  const label = (...event: Parameters<typeof aModelEvent>): string => {
    const [item] = traceItems(afterRunEvent(EMPTY_TRACE, aModelEvent(...event)), []);
    assert.ok(item?.kind === 'model');
    return modelLabel(item);
  };
  const usage = { prompt: 1200, completion: 4, total: 1204 };
  assert.equal(
    label(1, 'model_answered', { model: 'small', usage, cost: '0.02' }),
    'Answer of small · 1,204 tokens · 0.02 ai$',
  );
  assert.equal(
    label(1, 'model_failed', { code: 'overloaded', attempt: 2 }),
    'The answer failed · The provider is overloaded or fails · attempt 2',
  );
  assert.equal(label(1, 'model_asked', { model: 'small' }), 'small answers…');
  assert.equal(label(1, 'model_answered', { model: 'acp', text: 'Done.' }), 'Answer');
});

test('the step that hands a prompt to a program is not shown, and its answer is', () => {
  const isShown = (...event: Parameters<typeof aModelEvent>): boolean => {
    const [item] = traceItems(afterRunEvent(EMPTY_TRACE, aModelEvent(...event)), []);
    assert.ok(item?.kind === 'model');
    return isShownAnswer(item);
  };
  assert.equal(isShown(1, 'model_answered', { model: 'acp', text: null }), false);
  assert.equal(isShown(1, 'model_answered', { model: 'acp', text: 'Done.' }), true);
  assert.equal(isShown(1, 'model_failed', { model: 'acp', code: 'overloaded' }), true);
  assert.equal(isShown(1, 'model_answered', { model: 'small', text: null }), true);
});

test('each worker stands below its parent, in the order in which they began', () => {
  const worker = (run_id: string, parent_run_id: string): Run =>
    run({ run_id, worker: { parent_run_id, call_id: '1.0', role: 'taster', depth: 1 } });
  const newestFirst = [worker('d', 'b'), worker('c', 'a'), worker('b', 'a'), run({ run_id: 'a' }), worker('e', 'gone')];
  assert.deepEqual(
    underParents(newestFirst).map(({ run: { run_id: id }, isUnder }) => [id, isUnder]),
    [
      ['a', false],
      ['b', true],
      ['d', true],
      ['c', true],
      ['e', false],
    ],
  );
  assert.equal(originLabel(worker('b', 'a'), 'mia'), 'worker “taster”');
});

test('text of the scripted mind is labelled; text of an engine is not', () => {
  assert.equal(scriptedLabel('scripted')?.word, 'scripted');
  for (const runtime of ['engine', null]) assert.equal(scriptedLabel(runtime), null);
});

test('a lost or refused stream has a notice; a live one has none', () => {
  assert.equal(streamLabel({ kind: 'live' }), null);
  assert.match(streamLabel({ kind: 'reconnecting' }) ?? '', /nothing is lost/);
  const refused = { code: 'forbidden', title: 'Not for you', detail: 'Ask Mia.', status: 403, errors: [] } as const;
  assert.equal(streamLabel({ kind: 'refused', refused }), 'Not for you. Ask Mia.');
  const same = { ...refused, detail: refused.title };
  assert.equal(streamLabel({ kind: 'refused', refused: same }), 'Not for you.', 'a sentence stands once');
});

test('the line of repaired arguments names the call as its own line does, and each repair in words', () => {
  assert.equal(
    repairLabel('shell', ['commas_removed', 'taken_from_fence', 'text_to_number']),
    'Repaired the arguments of “Run a command”: commas removed, taken out of a code block, a text read as a number',
  );
  assert.equal(repairLabel('mcp__a', ['of_tomorrow']), 'Repaired the arguments of “mcp__a”: of tomorrow');
});

test('an answer in the form of a schema is named by its fault, or by its repairs', () => {
  assert.equal(outputLabel({ code: null, actions: [] }), null);
  assert.equal(
    outputLabel({ code: null, actions: ['taken_from_fence', 'commas_removed'] }),
    'Repaired the answer: taken out of a code block, commas removed',
  );
  const label = outputLabel({ code: 'JSON_SYNTAX_ERROR', actions: [] });
  assert.equal(label, 'This answer does not fit the output schema (JSON_SYNTAX_ERROR)');
});
