import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seesImages } from './sees-images.ts';

const SEEING = [
  ['openai', 'gpt-5.2'],
  ['openai', 'o4-mini'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['openrouter', 'google/gemini-3-pro'],
  ['vllm', 'Qwen/Qwen3-VL-30B-A3B-Instruct'],
  ['ollama', 'llama3.2-vision:11b'],
  ['ollama', 'gemma3:27b'],
  ['compatible', 'pixtral-12b'],
] as const;
const BLIND = [
  ['openai', 'gpt-3.5-turbo'],
  ['openai', 'gpt-4'],
  ['vllm', 'openai/gpt-oss-120b'],
  ['vllm', 'Qwen/Qwen3-30B-A3B'],
  ['ollama', 'llama3.2:3b'],
  ['openrouter', 'deepseek/deepseek-v3.2'],
  ['compatible', 'small'],
] as const;

test('the kind of the provider and the name of the model say if it sees images', () => {
  for (const [kind, model] of SEEING) assert.equal(seesImages(kind, model), true, model);
  for (const [kind, model] of BLIND) assert.equal(seesImages(kind, model), false, model);
});
