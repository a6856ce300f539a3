import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from '@hamlet/contract';
import { workersLines } from './workers.ts';

const PARENT = '01a20000-0000-7000-8000-000000000001';
const CHILD = '01a20000-0000-7000-8000-000000000002';
const NOW = Date.parse('2026-11-24T12:10:00Z');

const workerOf = (parts: { readonly run?: object; readonly envelope?: object } = {}): Worker =>
  Worker.parse({
    run: {
      run_id: CHILD,
      agent_id: 'ada',
      kind: 'worker',
      state: 'running',
      prompt: 'Read the first chapter',
      created_at: '2026-11-24T12:00:00Z',
      created_by: { role: 'admin', id: 'x' },
      schedule: null,
      attempt: 1,
      cycle: 1,
      started_at: '2026-11-24T12:00:00Z',
      ended_at: null,
      summary: null,
      error: null,
      cancel_requested_at: null,
      session_id: null,
      runtime: 'engine',
      usage: { tokens: 1_200, cost: '0.5', steps: 2, witnessed: true },
      budgets: null,
      worker: { parent_run_id: PARENT, call_id: '1.0', role: 'reader', depth: 1 },
      unsettled: [],
      ...parts.run,
    },
    envelope: parts.envelope ?? null,
  });

test('each row shows the task of a running worker, and the result or error of an ended one', () => {
  const ended = { run: { state: 'done' }, envelope: { summary: 'Two owls', artifacts: [], errors: [] } };
  const errors = [{ code: 'budget_tokens', what: 'The budget is used up', fix: 'Delegate less' }];
  const failed = { run: { state: 'failed' }, envelope: { summary: '', artifacts: [], errors } };
  const lines = workersLines([workerOf(), workerOf(ended), workerOf(failed)], 'ada', NOW).split('\n');
  assert.match(lines[0] ?? '', /^WORKER +OF +ROLE +STATE +AGE +TOKENS +COST +RESULT$/);
  assert.match(
    lines[1] ?? '',
    new RegExp(`^${CHILD} +${PARENT} +reader +running +10m +1200 +0\\.5 +Read the first chapter$`),
  );
  assert.match(lines[2] ?? '', / done .*Two owls$/);
  assert.match(lines[3] ?? '', / failed .*budget_tokens: The budget is used up$/);
  assert.equal(workersLines([], 'ada', NOW), 'ada has no workers');
});

test('control characters in the text of a worker are replaced', () => {
  const envelope = { summary: 'red \u001b[31mowl', artifacts: [], errors: [] };
  const text = workersLines([workerOf({ run: { state: 'done' }, envelope })], 'ada', NOW);
  assert.ok(!text.includes('\u001b'));
});
