import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BookedWorkflow } from '../engine/booked-workflow.ts';
import { taskOf } from './task-of.ts';

const SHA = 'a'.repeat(64);
const booked = (fields: Partial<BookedWorkflow>): BookedWorkflow => ({
  request: { manifests: SHA },
  files: new Map(),
  prompt: 'Review this.',
  safeMode: null,
  ...fields,
});

test('the input of a task is the prompt as a text, or the JSON that people gave', () => {
  assert.deepEqual(taskOf('r1', booked({})), {
    kind: 'new',
    spec: { id: 'r1', input: 'Review this.', overrides: [] },
  });
  const request = { manifests: SHA, input_json: '{"a":1}', pipeline: 'full', mode: 'fast', tags: ['x'] };
  assert.deepEqual(taskOf('r1', booked({ request })), {
    kind: 'new',
    spec: { id: 'r1', input: { a: 1 }, pipeline: 'full', mode: 'fast', tags: ['x'], overrides: [] },
  });
});

test('the safe mode of a run is an override after those of its request', () => {
  const request = { manifests: SHA, overrides: [{ kind: 'skip_tools', tools: ['pay'] }] };
  const task = taskOf('r1', booked({ request, safeMode: 'dry_run' }));
  assert.deepEqual(task.kind === 'new' && task.spec.overrides, [
    { kind: 'skip_tools', tools: ['pay'] },
    { kind: 'dry_run' },
  ]);
});

test('a repeated run names the earlier one, and the input of the stage only if a person gave another', () => {
  const of = crypto.randomUUID();
  const again = (rerun: NonNullable<BookedWorkflow['request']['rerun']>) =>
    taskOf('r2', booked({ request: { manifests: SHA, rerun } }));
  assert.deepEqual(again({ run_id: of, stage: 'judge' }), { kind: 'repeat', of, from: { id: 'r2', stage: 'judge' } });
  assert.deepEqual(again({ run_id: of, stage: 'judge', input_json: 'null' }), {
    kind: 'repeat',
    of,
    from: { id: 'r2', stage: 'judge', input: null },
  });
});
