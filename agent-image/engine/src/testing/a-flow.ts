/** Runs of plans in tests. */
import assert from 'node:assert/strict';
import type { Tool } from '../effects/tool.ts';
import { createFlow } from '../flow/create-flow.ts';
import type { FlowPorts } from '../flow/flow-ports.ts';
import type { Journal } from '../journal/journal.ts';
import type { RunOutcome } from '../loop/advance.ts';
import type { Engine, RunRequest } from '../loop/engine.ts';
import type { Notice } from '../loop/kit.ts';
import { loadRun } from '../loop/transcript.ts';
import type { Plan, PlanStage } from '../workflow/plan/plan.ts';
import { aStage } from './a-plan.ts';
import { anEngine, aRequest, type Setting } from './an-engine.ts';
import { BUDGETS } from './an-event.ts';
import { echo, outcomeOf, someJournals } from './a-tool.ts';
import { scriptedModel } from './scripted-model.ts';

/** Tool stages call their tool once; agents get their input as text. */
const flowPorts = (ports: Partial<FlowPorts> = {}): FlowPorts => ({
  agentRun: async ({ input }) => ({
    ok: true,
    run: {
      input: JSON.stringify(input),
      prompt: { stable: 'You help.', situation: '' },
      model: 'test',
      budgets: BUDGETS,
    },
  }),
  toolStep: ({ stage, input }, [settled]) => {
    if (settled === undefined)
      return { kind: 'calls', calls: [{ tool: stage.tool ?? '', arguments: { text: String(input) } }] };
    const { outcome } = settled;
    if (outcome?.kind === 'ok') return { kind: 'done', output: outcome.text };
    return {
      kind: 'failed',
      failure: { category: 'tool', code: outcome?.kind ?? 'deleted', message: 'The tool failed.' },
    };
  },
  beforeStage: async () => null,
  afterStage: () => {},
  ...ports,
});

/** A request for the run `t1` of a plan. */
export const aTask = (plan: Plan, input: unknown, fields: Partial<RunRequest> = {}): RunRequest =>
  aRequest({
    run: 't1',
    conversation: 't1',
    input: JSON.stringify(input),
    stage: { id: 'task', plan: JSON.stringify(plan) },
    flow: { workflow: 'test', pipeline: 'default', task: JSON.stringify({ id: 't1', input, mode: null, tags: [] }) },
    ...fields,
  });

type FlowSetting = Partial<Setting> & Readonly<{ journal: Journal; ports?: Partial<FlowPorts> }>;

/** An engine that carries out plans. */
export const flowEngine = ({ ports, ...setting }: FlowSetting): Readonly<{ engine: Engine; notices: Notice[] }> =>
  anEngine({ model: scriptedModel([]), flow: createFlow(flowPorts(ports)), ...setting });

export const taskOutput = (outcome: RunOutcome): unknown =>
  outcome.kind === 'done' ? JSON.parse(outcome.output ?? 'null') : assert.fail(JSON.stringify(outcome));

/** How each stage ended, in the order of the ends. */
export function stageEnds(journal: Journal, task = 't1'): readonly string[] {
  const loaded = loadRun(journal, task);
  if (!loaded.ok) assert.fail(loaded.message);
  const stages = [...(loaded.state.flow?.stages.values() ?? [])].toSorted((one, other) => one.place - other.place);
  return stages.map(({ id, closed, attempt, round }) => `${id} ${closed?.end ?? 'open'} ${round}.${attempt}`);
}

export const toolStage = (id: string, name: string, fields: Partial<PlanStage> = {}): PlanStage =>
  aStage(id, { role: 'tool', tool: name, ...fields });

export const agentStage = (id: string, fields: Partial<PlanStage> = {}): PlanStage =>
  aStage(id, { role: 'agent', agent: 'ada', ...fields });

export const SHOUT: Tool = echo('shout', 'read');

/** Runs a plan in a journal of its own, until it ends or waits. */
export async function runPlan(
  plan: Plan,
  input: unknown,
  given: Omit<FlowSetting, 'journal'> = {},
): Promise<Readonly<{ outcome: RunOutcome; journal: Journal; engine: Engine }>> {
  const journal = someJournals().open();
  const { engine } = flowEngine({ journal, ...given });
  return { outcome: await outcomeOf(await engine.start(aTask(plan, input))), journal, engine };
}
