import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEntry } from '@hamlet/contract';
import { callsIn, contradictionIn, projectClaims, RUN_CLAIMS_MAX, type ClaimContext } from './project-claims.ts';

const REF = 'r'.repeat(22);
const NOTHING: ClaimContext = { model: null, calls: new Map(), witnessed: new Set(), events: 2 };
const usage = { prompt: 1, completion: 2, total: 3 };

const entry = (seq: number, fields: Readonly<Record<string, unknown>> & { readonly type: string }): JournalEntry => ({
  seq,
  event: { v: 1, run: 'run', stage: 'main', fence: 1, at: 0, elapsedMs: 0, ...fields },
});
const shown = (entries: readonly JournalEntry[], changes: Partial<ClaimContext> = {}) =>
  projectClaims(entries, { ...NOTHING, ...changes });

test('a failed request to the model counts its tokens, and no step', () => {
  const failed = entry(1, { type: 'model_failed', ask: 1, attempt: 2, code: 'rate', usage, moneyMicros: 7 });
  const { events, used } = shown([failed], { model: 'tiny' });
  assert.deepEqual(used, { steps: 0, tokens: 3, costMicros: 7 });
  assert.deepEqual(events, [
    { event: 'model_failed', detail: { ask: 1, attempt: 2, model: 'tiny', usage, cost: '0.000007', code: 'rate' } },
  ]);
});

test('an answer names the calls whose arguments were repaired', () => {
  const called = (id: string, repair: unknown) => ({
    id,
    modelId: id,
    tool: 'say',
    arguments: REF,
    effect: null,
    repair,
  });
  const calls = [called('1.0', ['commas_removed']), called('1.1', undefined), called('1.2', 'from a newer engine')];
  const answered = entry(1, { type: 'model_answered', ask: 1, attempt: 1, message: REF, usage, moneyMicros: 0, calls });
  assert.deepEqual(shown([answered]).events[0]?.detail['repairs'], [{ tool: 'say', actions: ['commas_removed'] }]);
});

test('an answer in the form of a schema has the code of its fault and its repairs; another form of the check is left out', () => {
  const checkOf = (output: unknown) => {
    const said = { ask: 1, attempt: 1, message: REF, usage, moneyMicros: 0, calls: [], output };
    return shown([entry(1, { type: 'model_answered', ...said })]).events[0]?.detail['output'];
  };
  const repaired = { code: null, text: REF, repair: ['taken_from_fence'] };
  assert.deepEqual(checkOf(repaired), { code: null, actions: ['taken_from_fence'] });
  assert.deepEqual(checkOf({ code: 'JSON_SYNTAX_ERROR', repair: [] }), { code: 'JSON_SYNTAX_ERROR', actions: [] });
  assert.deepEqual([checkOf(undefined), checkOf({ code: 'of a newer engine' })], [undefined, undefined]);
});

test('stages of a workflow are events, and name their calls; a stage of another run is ignored', () => {
  const call = { id: 'read.1.1:1', modelId: 'x', tool: 'read_board', arguments: REF, effect: 'read' };
  const flow = { role: 'tool', attempt: 2, round: 1, input: REF, calls: [call] };
  const settled = { type: 'tool_settled', outcome: 'denied', result: REF };
  const failure = { category: 'tool', code: 'denied', message: REF };
  const entries = [
    entry(1, { type: 'stage_opened', stage: 'read', flow }),
    entry(2, { ...settled, call: 'read.1.1:1' }),
    entry(3, { type: 'calls_planned', stage: 'read', calls: [{ ...call, id: 'read.1.1:2' }] }),
    entry(4, { ...settled, call: 'read.1.1:2' }),
    entry(5, { type: 'stage_closed', stage: 'read', flow: { end: 'failed', output: null, failure, edges: [] } }),
    entry(6, { type: 'stage_opened' }),
    entry(7, { type: 'stage_closed', flow: 'of a newer engine' }),
  ];
  assert.deepEqual(callsIn(entries), { ids: ['read.1.1:1', 'read.1.1:2'], unnamed: [] });
  assert.deepEqual(callsIn(entries.slice(3)), { ids: ['read.1.1:2'], unnamed: ['read.1.1:2'] });
  const { events, used } = shown(entries);
  const named = { tool: 'read_board', effect: 'read', arguments_ref: REF, outcome: 'denied', result_ref: REF };
  assert.deepEqual(events, [
    { event: 'stage_begun', detail: { stage: 'read', role: 'tool', round: 1, attempt: 2 } },
    { event: 'call_settled', detail: { call_id: 'read.1.1:1', ...named } },
    { event: 'call_settled', detail: { call_id: 'read.1.1:2', ...named } },
    { event: 'stage_ended', detail: { stage: 'read', end: 'failed', code: 'denied' } },
  ]);
  assert.equal(used.steps, 0);
  assert.equal(contradictionIn('run', entries, null), null);
});

test('a settled call gets its name from an earlier answer, and a call that the API saw is not shown twice', () => {
  const calls = new Map([['0.1', { tool: 'say', effect: 'keyed', argumentsRef: REF }]]);
  const settled = entry(1, { type: 'tool_settled', call: '0.1', outcome: 'denied', result: REF });
  const named = { call_id: '0.1', tool: 'say', effect: 'keyed', arguments_ref: REF };
  assert.deepEqual(shown([settled], { calls }).events, [
    { event: 'call_settled', detail: { ...named, outcome: 'denied', result_ref: REF } },
  ]);
  const plain = entry(1, { type: 'tool_settled', call: '0.1', outcome: 'ok', result: REF, plain: true });
  assert.equal(shown([plain], { calls }).events[0]?.detail['plain'], true);
  assert.deepEqual(shown([settled], { calls, witnessed: new Set(['0.1']) }).events, []);
});

test('only a call without its intent and answer needs a stored answer', () => {
  const calls = [{ id: '1.0', modelId: 'm', tool: 'say', arguments: REF, effect: 'keyed' }];
  const message = { message: REF, hasText: false, usage, moneyMicros: 0 };
  const answered = entry(1, { type: 'model_answered', ask: 1, attempt: 1, ...message, calls });
  const begun = entry(2, {
    type: 'tool_intent',
    call: '1.0',
    tool: 'say',
    arguments: REF,
    effect: 'keyed',
    key: REF,
    attempt: 1,
  });
  const settled = entry(3, { type: 'tool_settled', call: '1.0', outcome: 'ok', result: REF });
  assert.deepEqual(callsIn([answered, begun, settled]), { ids: ['1.0'], unnamed: [] });
  assert.deepEqual(callsIn([begun]), { ids: ['1.0'], unnamed: [] });
  assert.deepEqual(callsIn([settled]), { ids: ['1.0'], unnamed: ['1.0'] });
  assert.deepEqual(callsIn([entry(1, { type: 'interrupted' })]), { ids: [], unnamed: [] });
});

test('a note of a program is a call of its own, unless the API saw that call', () => {
  const note = (seq: number, outcome: string | null) =>
    entry(seq, { type: 'program_noted', call: '1.0', note: '1.0.t1', tool: 'program.edit', outcome, claim: REF });
  const notes = [note(1, null), note(2, 'failed'), note(3, 'unknown')];
  const detail = { call_id: '1.0.t1', tool: 'program.edit', effect: null, arguments_ref: REF };
  assert.deepEqual(shown(notes).events, [
    { event: 'call_begun', detail },
    { event: 'call_settled', detail: { ...detail, outcome: 'failed' } },
    { event: 'call_unknown', detail: { ...detail, outcome: 'unknown' } },
  ]);
  assert.deepEqual(callsIn(notes), { ids: ['1.0.t1'], unnamed: [] });
  assert.deepEqual(shown(notes, { witnessed: new Set(['1.0.t1']) }).events, []);
});

test('unknown kinds, and events that the API records itself, are not shown', () => {
  const entries = ['cancel_asked', 'permission_asked', 'run_closed', 'run_resumed', 'dreamt'];
  assert.deepEqual(shown(entries.map((type, index) => entry(index + 1, { type }))).events, []);
});

test('a run shows a limited number of claims', () => {
  const entries = [1, 2, 3].map((seq) => entry(seq, { type: 'interrupted' }));
  assert.equal(shown(entries, { events: RUN_CLAIMS_MAX - 2 }).events.length, 2);
  assert.equal(shown(entries, { events: RUN_CLAIMS_MAX + 5 }).events.length, 0);
});

test('entries that contradict the stored journal are refused', () => {
  const stored = { seq: 4, fence: 3, type: 'tool_intent' };
  const next = [entry(7, { type: 'interrupted', fence: 3 }), entry(9, { type: 'run_closed', fence: 4 })];
  assert.equal(contradictionIn('run', next, stored), null);
  assert.match(contradictionIn('other', next, stored) ?? '', /belongs to the run/);
  assert.match(contradictionIn('run', next, { ...stored, fence: 4 }) ?? '', /fence/);
  assert.match(contradictionIn('run', next, { ...stored, seq: 7 }) ?? '', /comes after/);
  assert.match(contradictionIn('run', next, { ...stored, type: 'run_closed' }) ?? '', /follows the end/);
});
