import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunContextPart } from '@hamlet/contract';
import { contextSummary, missingText, partFacts, partLabel } from './context-labels.ts';

const part = (fields: Partial<RunContextPart>): RunContextPart => ({
  source: 'memory',
  form: 'whole',
  tokens: 1_204,
  tool: null,
  run_id: null,
  text: 'Bob likes rye.',
  ...fields,
});

test('a part says what it is, and a result also of which call', () => {
  assert.equal(partLabel(part({})), 'Memories');
  assert.equal(partLabel(part({ source: 'result' })), 'Result of a call');
  assert.equal(partLabel(part({ source: 'result', tool: 'shell' })), 'Result of “Run a command”');
});

test('a part says its size, and whether it was complete', () => {
  assert.equal(partFacts(part({})), 'about 1,204 tokens');
  assert.equal(partFacts(part({ source: 'answer', tokens: 1 })), '1 token');
  assert.equal(partFacts(part({ source: 'history', form: 'shortened' })), 'about 1,204 tokens · only excerpts');
  assert.equal(partFacts(part({ form: 'left_out', tokens: 0 })), 'left out: there was no room');
  assert.equal(partFacts(part({ tokens: null })), '');
});

test('a part without a text says why, unless another place has it', () => {
  assert.equal(missingText(part({})), null);
  assert.equal(missingText(part({ source: 'history', text: null })), null);
  assert.match(missingText(part({ text: null })) ?? '', /deleted/);
});

test('the list says how much the model read', () => {
  const context = { ask: 1, prompt_tokens: 2_000, parts: [part({})], omitted: 3 };
  assert.equal(
    contextSummary(context),
    "Before this answer the model read 1 part, 2,000 tokens by its provider's count, in this order. 3 older answers and results are not listed.",
  );
  assert.match(contextSummary({ ...context, omitted: 1 }), / 1 older answer or result is not listed\.$/);
});
