import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerLimit } from './answer-limit.ts';

test('an answer may be as long as its model can write, and takes at most half of the context', () => {
  const limits = [
    ['qwen3:30b', 32_768, 16_384],
    ['qwen3:8b', 16_384, 8_192],
    ['gpt-4o-mini', 128_000, 16_384],
    ['gpt-4-turbo', 128_000, 4_096],
    ['claude-sonnet-4-5', 200_000, 32_768],
    ['anthropic/claude-3-5-haiku', 200_000, 8_192],
    ['claude-3-haiku-20240307', 200_000, 4_096],
    ['gpt-5-mini', 400_000, 32_768],
  ] as const;
  for (const [model, context, expected] of limits) assert.equal(answerLimit(model, context), expected, model);
});
