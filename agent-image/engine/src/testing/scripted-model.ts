import assert from 'node:assert/strict';
import type { ModelDelta, ModelEnd, ModelPort, ModelRequest } from '../loop/ports.ts';

export type Step = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelDelta | ModelEnd>;

const USAGE = { prompt: 10, completion: 5, total: 15 };

type Answer = Extract<ModelEnd, { type: 'answer' }>;

const anAnswer = (fields: Partial<Answer>): Answer => ({
  type: 'answer',
  content: '',
  toolCalls: [],
  finish: (fields.toolCalls ?? []).length > 0 ? 'tool_calls' : 'stop',
  reasoning: [],
  usage: USAGE,
  moneyMicros: 1,
  ...fields,
});

export const answers = (fields: Partial<Answer>): Step =>
  async function* () {
    yield anAnswer(fields);
  };

/** A text answer, streamed word by word. */
export const says = (content: string): Step =>
  async function* () {
    for (const word of content.split(/(?<= )/)) yield { type: 'delta', text: word };
    yield anAnswer({ content });
  };

/** An answer that calls tools. */
export const calls = (...list: readonly (readonly [string, unknown])[]): Step =>
  async function* () {
    const toolCalls = list.map(([name, input], index) => ({
      id: `call_${index}`,
      name,
      arguments: typeof input === 'string' ? input : JSON.stringify(input),
    }));
    yield anAnswer({ toolCalls });
  };

export const fails = (code: string, retryable: boolean, retryAfterMs: number | null = null): Step =>
  async function* () {
    yield { type: 'failed', code, retryable, retryAfterMs, usage: USAGE, moneyMicros: 0 };
  };

/** Never answers, and ignores the signal. */
export const hangs = (): Step =>
  async function* () {
    await new Promise(() => {});
    yield { type: 'delta', text: '' };
  };

export type ScriptedModel = ModelPort & Readonly<{ requests: ModelRequest[]; assertDone: () => void }>;

/** Answers with a list of steps. A request beyond the list and an unused step fail the test. */
export function scriptedModel(steps: readonly Step[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    chat: (request, signal) => {
      const step = steps[requests.length];
      requests.push(request);
      if (step === undefined) assert.fail(`the model has no step ${requests.length}`);
      return step(request, signal);
    },
    assertDone: () => assert.equal(requests.length, steps.length, 'steps of the model are left over'),
  };
}
