import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAILURE_CATEGORIES } from '../plan/failure.ts';
import { FAILURE_CODES, failureOf } from './failure-of.ts';

test('a code has the category that its origin gives it', () => {
  const table = [
    ['rate', 'model', 'agent'],
    ['auth', 'model', 'config'],
    ['context_too_long', 'model', 'context'],
    ['denied', 'tool', 'permission'],
    ['timed_out', 'tool', 'tool'],
    ['timed_out', 'run', 'engine'],
    ['no_progress', 'run', 'agent'],
    ['output_not_valid', 'run', 'json'],
    ['JSON_SYNTAX_ERROR', 'json', 'json'],
  ] as const;
  for (const [code, origin, category] of table) assert.equal(failureOf(code, origin), category, `${origin} ${code}`);
});

test('a run that failed by its model has the category of the failure of the model', () => {
  assert.equal(failureOf('model_auth', 'run'), 'config');
  assert.equal(failureOf('model_context_too_long', 'run'), 'context');
  assert.equal(failureOf('model_of_tomorrow', 'run'), 'agent');
});

test('a code that the table lacks has the category of its origin', () => {
  assert.deepEqual(
    (['model', 'tool', 'run', 'json'] as const).map((origin) => failureOf('of_tomorrow', origin)),
    ['agent', 'tool', 'agent', 'json'],
  );
  assert.equal(failureOf('constructor', 'tool'), 'tool');
});

test('a code appears once in its origin, under a category that exists', () => {
  for (const codes of Object.values(FAILURE_CODES)) {
    const all = Object.values(codes).flat();
    assert.deepEqual(
      all.filter((code, index) => all.indexOf(code) !== index),
      [],
    );
    for (const category of Object.keys(codes)) assert.ok(FAILURE_CATEGORIES.some((known) => known === category));
  }
});
