import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentRuntime } from '@hamlet/engine';
import { aConfig } from '../testing/a-village.ts';
import { poolOf, runtimeThat } from '../testing/a-runtime.ts';
import { createScriptedRuntime } from './scripted-runtime.ts';
import { voiceOf as voiceWith } from './voice.ts';

const CONTEXT = { config: aConfig(), speaker: 'Bob', place: null, plan: 'having coffee', seed: 1 };

const voiceOf = (runtime: AgentRuntime, stop: AbortSignal) =>
  voiceWith({
    runtimes: poolOf(runtime),
    workTreeOf: async () => ({ repo: null, branch: null }),
    memoryPath: '/nowhere',
    stop,
  });
const never = new AbortController().signal;

test('a failed or empty answer gives no words, but a reason', async () => {
  const failing = voiceOf(
    runtimeThat(() => Promise.reject(new Error('out of tokens'))),
    never,
  );
  assert.deepEqual(await failing.answer('hello', CONTEXT), { kind: 'silent', why: 'out of tokens' });
  const mute = voiceOf(
    runtimeThat(async () => ' \n'),
    never,
  );
  assert.deepEqual(await mute.answer('hello', CONTEXT), { kind: 'silent', why: 'the runtime gave an empty answer' });
});

test('the resident does not wait for a runtime that ignores the abort', async () => {
  const stop = new AbortController();
  const voice = voiceOf(
    runtimeThat(() => Promise.withResolvers<string>().promise),
    stop.signal,
  );
  const answered = voice.answer('hello', CONTEXT);
  stop.abort(new Error('the resident ends'));
  assert.deepEqual(await answered, { kind: 'silent', why: 'the resident ends' });
});

test('the scripted runtime answers each tone from its list, with the same answer each time', async () => {
  const voice = voiceOf(createScriptedRuntime(), never);
  const said = async (prompt: string) => {
    const words = await voice.answer(prompt, CONTEXT);
    assert.deepEqual(words, await voice.answer(prompt, CONTEXT));
    return words.kind === 'said' ? words.text : '';
  };
  assert.match(await said('What are you doing?'), /having coffee/);
  assert.match(await said('Thank you!'), /welcome|Any time/);
  assert.match(await said('Good night'), /See you|Take care/);
  assert.match(await said('Hello'), /Bob/);
  assert.match(await said('The pond is frozen'), /Bob/);
});
