/** A run of the resident's engine with the tools and the prompt of a task, without an API: its model decides what it does. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { Policy } from '@hamlet/contract';
import { DEFAULT_VILLAGE_RULES, mindOfRuntime, resolvePolicy } from '@hamlet/core';
import {
  createEngine,
  modelCompaction,
  openSqliteJournal,
  SYSTEM_CLOCK,
  type Engine,
  type ModelPort,
  type RunOutcome,
  type RunWork,
  type Tool,
} from '@hamlet/engine';
import { testFolder } from '@hamlet/test/env/at-end';
import { machineInWords } from '../engine/machine.ts';
import { createRunBook, type BookedRun, type RunBook } from '../engine/run-book.ts';
import { workInWords } from '../engine/work-rules.ts';
import type { HandsKit } from '../hands/hands-tool.ts';
import { KNOWN_PROGRAMS } from '../hands/survey-hands.ts';
import { handsTools } from '../hands/tools/hands-tools.ts';
import { inputOf } from '../runs/run-input.ts';
import type { ToolKit } from '../tools/tool-kit.ts';
import { findToolsIn, skillTools, villageTools } from '../tools/village-tools.ts';
import { shownTools } from '../toolset/shown-tools.ts';
import { runToolsOf, toolRulesOf } from '../toolset/tool-rules.ts';
import type { StartedRun } from '../village/village.ts';
import { aConfig, aRun, aWorld } from './a-village.ts';
import { scriptedVillage } from './scripted-village.ts';

export const tokensOf = (value: unknown): number =>
  encode(typeof value === 'string' ? value : JSON.stringify(value), { disallowedSpecial: new Set() }).length;

export const TASK_POLICY: Policy = resolvePolicy(
  { village: DEFAULT_VILLAGE_RULES, tier: [], agent: null },
  () => new Uint8Array(32),
);
const SKILL = {
  name: 'fix-a-failing-test',
  description:
    'Find out why a test fails, correct the cause and prove it. Use it when a person reports a failing test, a broken build or a red pipeline.',
  from: 'image' as const,
  sha256: 'a'.repeat(64),
  instructions: '',
  files: new Map<string, string>(),
};
const CONFIG = aConfig({
  persona: {
    identity: 'A gardener who counts birds.',
    personality: 'Patient and curious.',
    instructions: 'Look in at the board every morning.',
    amended: '',
  },
});

export interface TaskKind {
  readonly run?: Partial<StartedRun['run']>;
  readonly started?: Partial<StartedRun>;
  readonly booked?: Partial<BookedRun>;
}

export interface TaskPorts {
  readonly model: ModelPort;
  /** Null for an agent without hands. */
  readonly hands: HandsKit | null;
  readonly prompt: string;
  /** Tokens of the model's context, for summaries and the room of results; null if unknown. */
  readonly contextTokens: number | null;
}

function toolsOf(book: ToolKit['book'], hands: HandsKit | null): readonly Tool[] {
  const kit = { book, agentId: 'ada' } as ToolKit;
  const tools: readonly Tool[] = [
    findToolsIn(kit, () => tools),
    ...villageTools(kit),
    ...skillTools(kit),
    ...(hands === null ? [] : handsTools(hands)),
  ];
  return tools;
}

export async function performTask(
  ports: TaskPorts,
  { run = {}, started = {}, booked = {} }: TaskKind = {},
): Promise<RunOutcome> {
  const book = createRunBook();
  const tools = toolsOf(book, ports.hands);
  const village = scriptedVillage();
  village.runs.push(aRun(ports.prompt, run));
  const answer = await village.startRun(village.runs[0]?.run_id ?? '', 1, mindOfRuntime('engine'));
  assert.ok(answer.kind === 'ok');
  const held = { ...answer.value, policy: TASK_POLICY, ...started };
  const own = { policy: TASK_POLICY, given: held.run.worker?.tools?.flat() ?? [], canBrowse: false, ...booked };
  book.open({ runId: held.run.run_id, ...own } as BookedRun);
  const { input } = await inputOf(inputPorts(village, ports, runToolsOf(tools, own)) as never, held, {} as RunWork);
  const engine = engineOf(ports, { tools, book });
  const request = { ...input, input: input.text, model: 'small', conversation: 'c1', stage: { id: 'main', plan: '' } };
  const { parent: _parent, ...alone } = request;
  const begun = await engine.start(alone);
  assert.ok(begun.ok);
  return begun.outcome;
}

function engineOf(
  { model, contextTokens }: TaskPorts,
  { tools, book }: { readonly tools: readonly Tool[]; readonly book: RunBook },
): Engine {
  return createEngine({
    journal: openSqliteJournal(join(testFolder('task-run'), 'journal.db')),
    model,
    tools,
    offer: (id, all, calls) => shownTools(all, calls, toolRulesOf(book.find(id))),
    policy: { judge: () => ({ verdict: 'allow', reason: '' }) },
    approvals: { ask: async () => {} },
    memory: { recall: async () => [] },
    clock: SYSTEM_CLOCK,
    ids: { next: () => crypto.randomUUID() },
    compaction: contextTokens === null ? null : modelCompaction(model, () => contextTokens),
    notify: () => {},
  });
}

function inputPorts(
  village: ReturnType<typeof scriptedVillage>,
  { hands }: TaskPorts,
  described: ReturnType<typeof runToolsOf>,
) {
  const place = { workspace: '/workspace', home: '/root', hasWayOut: true, tools: described.shown };
  const surveyed = hands === null ? null : { programs: KNOWN_PROGRAMS, hasGuide: true };
  return {
    village: { ...village, around: async () => ({ kind: 'ok', value: aWorld() }) as const },
    config: CONFIG,
    workplace: {
      work: workInWords(described),
      machine: machineInWords({ ...place, hands: surveyed }, CONFIG),
    },
    now: new Date('2026-11-28T22:10:00Z'),
    skills: [SKILL],
    tree: { repo: null, branch: null },
    memoryPath: '',
  };
}
