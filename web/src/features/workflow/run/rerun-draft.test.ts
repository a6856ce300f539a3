import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aRun } from '../../../client/minds/minds.fixture.ts';
import { configPlace } from './config-place.ts';
import { changedInput, firstDraft, inputProblem, mayRepeat } from './rerun-draft.ts';

test('an input is checked as it is typed, and its place is named', () => {
  assert.equal(inputProblem(''), null);
  assert.equal(inputProblem('{"a": [1, 2]}'), null);
  assert.match(inputProblem('{\n  "a": nothing\n}') ?? '', /^Line 2, column 8: this is not JSON/);
  assert.match(inputProblem('{"a": ') ?? '', /this is not JSON\. A text stands in double quotes$/);
  assert.match(inputProblem(`"${'x'.repeat(65_536)}"`) ?? '', /65,538 characters: write at most 65,536/);
});

test('only a changed input is sent', () => {
  const earlier = '{"n":12345678901234567890}';
  const draft = firstDraft(earlier);
  assert.equal(draft.input, '{\n  "n": 12345678901234567890\n}');
  assert.equal(changedInput(draft, earlier), undefined);
  assert.equal(changedInput({ ...draft, input: ' ' }, earlier), undefined);
  assert.equal(changedInput({ ...draft, input: '{"n":1}' }, earlier), '{"n":1}');
  assert.equal(changedInput({ ...firstDraft(null), input: '2' }, null), '2');
});

test('an admin repeats any ended run with a workflow, a member only their own', () => {
  const run = aRun({
    state: 'failed',
    workflow: { manifests: 'ab'.repeat(32) },
    created_by: { role: 'member', id: 'account mia' },
  });
  assert.equal(mayRepeat(run, { role: 'admin', id: 'kim' }), true);
  assert.equal(mayRepeat(run, { role: 'member', id: 'mia' }), true);
  assert.equal(mayRepeat(run, { role: 'member', id: 'mo' }), false);
  assert.equal(mayRepeat(run, { role: 'visitor', id: null }), false);
  assert.equal(mayRepeat({ ...run, state: 'running' }, { role: 'admin', id: 'kim' }), false);
  assert.equal(mayRepeat(aRun({ state: 'failed' }), { role: 'admin', id: 'kim' }), false);
  assert.equal(mayRepeat({ ...run, veiled: true }, { role: 'admin', id: 'kim' }), false);
});

test('the first error of manifests has its place in the message of the failure', () => {
  const message = 'workflow.yaml:4:12: there is no agent “critc” (and 2 more)\nDid you mean critic?';
  assert.deepEqual(configPlace({ code: 'config_error', message }), {
    file: 'workflow.yaml',
    line: 4,
    column: 12,
    message: 'there is no agent “critc” (and 2 more)\nDid you mean critic?',
  });
  assert.equal(configPlace({ code: 'config_error', message: 'secrets.yaml:1:1: no' }), null);
  assert.equal(configPlace({ code: 'no_model', message }), null);
  assert.equal(configPlace(null), null);
});
