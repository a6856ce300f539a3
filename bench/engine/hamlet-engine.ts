/** Our engine with its journal, and our chat adapter. The tool reads; the tool of durable steps has a key. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createEngine, defineTool, openSqliteJournal, SYSTEM_CLOCK } from '@hamlet/engine';
import type { Engine, Journal, ModelDelta, ModelEnd, ModelPort, RunRequest, Tool } from '@hamlet/engine';
import { openModel, parseModelsConfig, SYSTEM_PORTS, type Model } from '@hamlet/models';
import { z } from 'zod';
import { chatPort } from './chat-port.ts';
import { answerAfter, serve } from './subject.ts';

const folder = process.env['BENCH_FOLDER'] ?? '.';
const journals: Record<string, string> = { runs: join(folder, 'runs.sqlite'), steps: join(folder, 'steps.sqlite') };

const lookAt = defineTool({
  name: 'look_at',
  description: 'Looks at a place.',
  input: z.strictObject({ place: z.string() }),
  effect: 'read',
  timeoutMs: 10_000,
  execute: async ({ place }) => ({ kind: 'ok', text: `The ${place} is open until noon.` }),
});

function modelAt(url: string): ModelPort {
  const parsed = parseModelsConfig({
    providers: { gateway: { kind: 'compatible', baseUrl: url } },
    routes: [{ match: '*', provider: 'gateway' }],
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  const { config } = parsed;
  const setup = { credentials: { key: () => null, subscription: () => null }, ports: SYSTEM_PORTS };
  const models = new Map<string, Model>();
  return chatPort((name) => {
    const known = models.get(name);
    if (known !== undefined) return known;
    const opened = openModel(config, name, setup);
    if (!opened.ok) throw new Error(opened.message);
    models.set(name, opened.model);
    return opened.model;
  });
}

function engineOn(journal: Journal, model: ModelPort, tool: Tool): Engine {
  return createEngine({
    journal,
    model,
    tools: [tool],
    policy: { judge: () => ({ verdict: 'allow', reason: '' }) },
    approvals: { ask: async () => {} },
    memory: { recall: async () => [] },
    clock: SYSTEM_CLOCK,
    ids: { next: () => crypto.randomUUID() },
    compaction: null,
    notify: (notice) => {
      if (notice.type === 'problem') console.error(notice.where, notice.error);
    },
  });
}

const BUDGETS = {
  steps: 1_000_000,
  tokens: 1_000_000_000,
  moneyMicros: 1_000_000_000,
  timeMs: 3_600_000,
  idleCalls: 1_000,
};

const requestOf = (model: string): RunRequest => ({
  conversation: crypto.randomUUID(),
  input: 'Look around.',
  prompt: { stable: 'You are Ada.', situation: '' },
  model,
  budgets: BUDGETS,
  stage: { id: 'main', plan: 'answer' },
});

async function answerOf(engine: Engine, model: string): Promise<string> {
  const begun = await engine.start(requestOf(model));
  if (!begun.ok) throw new Error(begun.code);
  const outcome = await begun.outcome;
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.text;
}

/** A model in this process: the calls of the steps, then an answer. */
function stepsModel(count: number): ModelPort {
  let asked = 0;
  const usage = { prompt: 1, completion: 1, total: 2 };
  return {
    async *chat(): AsyncGenerator<ModelDelta | ModelEnd> {
      const number = (asked += 1);
      const toolCalls =
        number > count ? [] : [{ id: `call_${number}`, name: 'step', arguments: `{"step":${number - 1}}` }];
      const content = number > count ? answerAfter(count) : '';
      const finish = number > count ? 'stop' : 'tool_calls';
      yield { type: 'answer', content, toolCalls, finish, reasoning: [], usage, moneyMicros: 0 };
    },
  };
}

/** A step is an answer of the model and a call, whose intent and settlement are each on the disk before the next. */
async function steps(texts: readonly string[], mark: () => void): Promise<void> {
  const step = defineTool({
    name: 'step',
    description: 'Makes a step.',
    input: z.strictObject({ step: z.int() }),
    effect: 'keyed',
    timeoutMs: 10_000,
    execute: async ({ step: number }) => {
      mark();
      return { kind: 'ok', text: texts[number] ?? '' };
    },
  });
  const journal = openSqliteJournal(journals['steps'] ?? '');
  await answerOf(engineOn(journal, stepsModel(texts.length), step), 'steps');
  journal.close();
}

/** The file after a checkpoint, without the log, which the next writes reuse. */
function sizeOf(path: string): number {
  const database = new DatabaseSync(path);
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  return statSync(path).size;
}

let engine: Engine | null = null;

serve({
  run: async (calls) => {
    engine ??= engineOn(openSqliteJournal(journals['runs'] ?? ''), modelAt(process.env['MODEL_URL'] ?? ''), lookAt);
    return answerOf(engine, `calls-${calls}`);
  },
  steps,
  stored: async () => sizeOf(journals['steps'] ?? ''),
});
