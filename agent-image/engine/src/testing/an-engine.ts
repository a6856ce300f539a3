import assert from 'node:assert/strict';
import type { RunInput, RuntimeConfig, RuntimeContext } from '../agent-runtime.ts';
import type { Tool } from '../effects/tool.ts';
import { JournalEvent } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import { createEngine, type Engine, type RunRequest } from '../loop/engine.ts';
import type { EngineLimits, EnginePorts, Notice } from '../loop/kit.ts';
import type { ClockPort, ModelPort, Question } from '../loop/ports.ts';
import { SYSTEM_CLOCK } from '../loop/system-clock.ts';
import { BUDGETS } from './an-event.ts';

/** The system clock; the timeout of a call that never ends does not keep the process alive. */
export const IDLE_CLOCK: ClockPort = {
  ...SYSTEM_CLOCK,
  after: (ms, run) => {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

export const aRequest = (fields: Partial<RunRequest> = {}): RunRequest => ({
  conversation: 'c1',
  input: 'Hello',
  prompt: { stable: 'You are Ada.', situation: 'It is noon.' },
  model: 'test',
  budgets: BUDGETS,
  stage: { id: 'main', plan: 'answer' },
  ...fields,
});

export type Setting = Readonly<{ journal: Journal; model: ModelPort; tools?: readonly Tool[] }> &
  Partial<EnginePorts> &
  Readonly<{ limits?: Partial<EngineLimits> }>;

const NO_TOOLS: readonly Tool[] = [];

/** Checks each event as a reader will. */
const strict = (journal: Journal): Journal => ({
  ...journal,
  append: (write) => {
    for (const event of write.events) JournalEvent.parse(event);
    journal.append(write);
  },
});

/** An engine that allows every call, with lists of what it reported and asked. */
export function anEngine(setting: Setting): Readonly<{ engine: Engine; notices: Notice[]; questions: Question[] }> {
  const { limits, ...ports } = setting;
  const notices: Notice[] = [];
  const questions: Question[] = [];
  let id = 0;
  const engine = createEngine(
    {
      policy: { judge: () => ({ verdict: 'allow', reason: '' }) },
      approvals: { ask: async (question) => void questions.push(question) },
      memory: { recall: async () => [] },
      clock: SYSTEM_CLOCK,
      ids: { next: () => `run-${ports.journal.fence}-${(id += 1)}` },
      compaction: null,
      notify: (notice) => void notices.push(notice),
      ...ports,
      journal: strict(ports.journal),
      // The list may change while the engine works.
      get tools() {
        return setting.tools ?? NO_TOOLS;
      },
    },
    limits,
  );
  return { engine, notices, questions };
}

export const aRuntimeConfig = (settings: RuntimeConfig['settings'] = {}): RuntimeConfig => ({
  sessionId: 's1',
  repoPath: '/workspace',
  memoryPath: '/memory.jsonl',
  agentId: 'ada',
  displayName: 'Ada',
  persona: 'Curious.',
  settings,
});

const unused = (): never => assert.fail('unused');

export const aRunInput = (changes: Partial<RunInput> = {}): RunInput => ({
  kind: 'run',
  run: 'r1',
  text: 'Bake bread; rm -rf $HOME',
  prompt: { stable: 'You are Ada.', situation: '' },
  model: 'test',
  budgets: BUDGETS,
  answers: [],
  work: {
    surroundings: unused,
    go: unused,
    find: unused,
    say: unused,
    use: unused,
    look: unused,
    recall: unused,
    forget: unused,
  },
  ...changes,
});

export const aRunContext = (changes: Partial<RuntimeContext> = {}): RuntimeContext => ({
  sessionId: 's1',
  memoryPath: '/root/.mcp-memory/tools-0a1b2c3d/memory.jsonl',
  repo: 'https://example.org/tools.git',
  branch: 'main',
  speaker: 'Bob',
  place: 'the café',
  plan: '',
  seed: 1,
  signal: new AbortController().signal,
  ...changes,
});
