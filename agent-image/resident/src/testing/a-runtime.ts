import assert from 'node:assert/strict';
import { mindOfRuntime } from '@hamlet/core/mind';
import { doneWith, type AgentRuntime, type RunInput, type RuntimeContext, type RuntimeInput } from '@hamlet/engine';
import type { Thinking } from '../engine/thinking.ts';
import { createRunBook } from '../engine/run-book.ts';
import type { RunMemory } from '../runs/run-memory.ts';
import type { RuntimePool } from '../runtime/runtime-pool.ts';
import type { Voice } from '../runtime/voice.ts';

export type Answering = (input: RuntimeInput, context: RuntimeContext) => Promise<string>;

export const runtimeThat = (answer: Answering): AgentRuntime => ({
  initialize: async () => {},
  execute: async (input, context) => doneWith(await answer(input, context)),
  terminate: async () => {},
});

/** The tools of a run; the test fails if speech uses them. */
export function workOf(input: RuntimeInput): RunInput['work'] {
  if (input.kind === 'run') return input.work;
  throw new Error('speech has no tools');
}

export const poolOf = (runtime: AgentRuntime, name = 'scripted'): Pick<RuntimePool, 'obtain'> => ({
  obtain: async () => ({ ok: true, name, runtime, mind: mindOfRuntime(name) }),
});

export const noVoice = (why: string): Voice => ({ isSlow: () => false, answer: async () => ({ kind: 'silent', why }) });

const missing = (): never => assert.fail('this resident has neither an engine nor a model');

/** The part of a resident without a memory. */
export const noRunMemory = (): RunMemory => ({
  summarized: () => {},
  keep: async () => {},
  recall: missing,
  forgetLast: missing,
});

/** The part of a resident without a journal. */
export function noThinking(): Thinking {
  return {
    book: createRunBook(),
    engineHost: missing,
    host: { engine: missing, engineWith: missing, programs: null, mirrored: missing, model: { chat: missing } },
    thinks: () => false,
    isReady: async () => true,
    workplaceOf: async () => ({ work: '', machine: '' }),
    skillsOf: async () => [],
    flush: async () => {},
    spentOf: async () => null,
    raise: async () => {},
    refusalOf: () => null,
    takeRefused: () => [],
    keepMemory: async () => {},
    openRuns: async () => [],
    abandon: async () => {},
    endPrograms: async () => {},
    close: () => {},
    end: async () => {},
  };
}
