import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TelemetryEvent } from '../telemetry/event.ts';
import { progressLine } from './progress-line.ts';

const USAGE = { prompt_tokens: 1_200, completion_tokens: 34, total_tokens: 1_234, cost_micros: null, money_micros: 0 };
const ENVELOPE = { v: 1, seq: 1, task: 't1', run: 't1', stage: 'judge', agent: null, at: 0, monotonic_ms: 0 };
const STAGED = { role: 'agent', attempt: 1, round: 1 };
const SPAN = { started_at: 0, duration_ms: 2_345 };
const FAILURE = {
  taskId: 't1',
  pipelineId: 'p',
  stageId: 'judge',
  nodeType: 'agent',
  category: 'json',
  code: 'output_invalid',
};

const lineOf = (body: object): string | null => progressLine(TelemetryEvent.parse({ ...ENVELOPE, ...body }));

test('a stage shows its begin, its end, its time and its tokens', () => {
  const finished = { type: 'stage_finished', ...SPAN, ...STAGED, output: null, failure: null, usage: USAGE };
  assert.equal(lineOf({ type: 'stage_started', ...STAGED, input: {} }), '▸ judge');
  assert.equal(
    lineOf({ type: 'stage_started', ...STAGED, attempt: 2, round: 3, input: {} }),
    '▸ judge (attempt 2, round 3)',
  );
  assert.equal(lineOf({ ...finished, end: 'done' }), '✔ judge  2.3 s, 1,234 tokens');
  assert.equal(lineOf({ ...finished, end: 'failed', failure: FAILURE }), '✖ judge  2.3 s, 1,234 tokens');
  assert.equal(lineOf({ ...finished, end: 'skipped' }), '- judge skipped');
  const free = { ...finished, usage: { ...USAGE, total_tokens: 0 }, duration_ms: 125_000 };
  assert.equal(lineOf({ ...free, end: 'done' }), '✔ judge  2 min 5 s');
});

test('denials and failures are shown on one line, and other events are not', () => {
  const call = { call: 'c1', tool: 'publish' };
  assert.equal(
    lineOf({ type: 'permission_denied', ...call, code: 'host_not_permitted', message: 'tools.yaml\ndenies it' }),
    '  publish denied (host_not_permitted): tools.yaml denies it',
  );
  const refused = { ...FAILURE, category: 'config', code: 'auth' };
  assert.equal(lineOf({ type: 'error', where: 'model', failure: refused, message: '' }), '  model: auth');
  const long = lineOf({ type: 'error', where: 'stage', failure: FAILURE, message: 'é'.repeat(500) });
  assert.equal(long, `  json/output_invalid: ${'é'.repeat(160)}`);
  const json = { type: 'json_repair', where: 'output', tool: null, code: 'JSON_SCHEMA_MINOR_MISMATCH', actions: [] };
  assert.equal(lineOf({ ...json, result: 'refused' }), '  answer refused: JSON_SCHEMA_MINOR_MISMATCH');
  assert.equal(lineOf({ ...json, result: 'repaired' }), null);
  const called = {
    type: 'tool_called',
    ...call,
    ...SPAN,
    effect: 'read',
    attempts: 1,
    outcome: 'failed',
    code: 'not_found',
  };
  assert.equal(lineOf({ ...called, agent: 'critic' }), '  publish: not_found');
  // Calls and failures of stages are shown with their stage, and in the last line.
  assert.equal(lineOf(called), null);
  assert.equal(lineOf({ type: 'error', where: 'tool', failure: FAILURE, message: 'x' }), null);
  assert.equal(lineOf({ type: 'error', where: 'task', failure: FAILURE, message: '' }), null);
  assert.equal(lineOf({ type: 'memory_retrieved', parts: 1, tokens: 9 }), null);
});
