import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelPort, ModelRequest } from '@hamlet/engine';
import { createThinking, type ThinkingPorts } from './thinking.ts';

test('a model whose code cannot be loaded now is loaded for the next request', async () => {
  let isOut = true;
  const chat: ModelPort['chat'] = async function* () {};
  const model = async (): Promise<ModelPort> => {
    if (isOut) throw new Error('EMFILE: too many open files');
    return { chat };
  };
  const { host } = createThinking({ model } as unknown as ThinkingPorts);
  const ask = () => Array.fromAsync(host.model.chat({} as ModelRequest, new AbortController().signal));
  await assert.rejects(ask(), /EMFILE/);
  isOut = false;
  assert.deepEqual(await ask(), []);
});
