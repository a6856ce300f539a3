/** The engine decides for the agent's own memory, the API for memories of repositories: both by one rule. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayAllKnow as mayInApi } from '@hamlet/core';
import { mayAllKnow as mayInEngine } from '@hamlet/engine/audience';

const PEOPLE = ['mia', 'noa', 'zoe'];
const groups = Array.from({ length: 2 ** PEOPLE.length }, (_, bits) => PEOPLE.filter((_name, at) => bits & (1 << at)));

test('engine and API let the same people know the same memories', () => {
  for (const present of groups) {
    assert.equal(mayInApi(null, present), mayInEngine('public', present));
    for (const audience of groups) assert.equal(mayInApi(audience, present), mayInEngine(audience, present));
  }
  assert.equal(mayInApi(['mia', 'noa'], ['noa']), true);
  assert.equal(mayInApi(['mia'], ['mia', 'noa']), false);
  assert.equal(mayInApi(['mia'], []), false);
});
