import type { Tool } from '../effects/tool.ts';
import type { Journal } from '../journal/journal.ts';
import type { Engine, RunRequest } from '../loop/engine.ts';
import { createEngine } from '../loop/engine.ts';
import type { EngineLimits, EnginePorts, Notice } from '../loop/kit.ts';
import type { ModelPort, Question } from '../loop/ports.ts';
import { SYSTEM_CLOCK } from '../loop/system-clock.ts';
import { BUDGETS } from './an-event.ts';

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

/** An engine that allows every call, with lists of what it reported and asked. */
export function anEngine({
  limits,
  ...ports
}: Setting): Readonly<{ engine: Engine; notices: Notice[]; questions: Question[] }> {
  const notices: Notice[] = [];
  const questions: Question[] = [];
  let id = 0;
  const engine = createEngine(
    {
      tools: [],
      policy: { judge: () => ({ verdict: 'allow', reason: '' }) },
      approvals: { ask: async (question) => void questions.push(question) },
      memory: { recall: async () => [] },
      clock: SYSTEM_CLOCK,
      ids: { next: () => `run-${ports.journal.fence}-${(id += 1)}` },
      compaction: null,
      notify: (notice) => void notices.push(notice),
      ...ports,
    },
    limits,
  );
  return { engine, notices, questions };
}
