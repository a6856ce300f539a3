/** Carries out random workflows, and compares each with the outcome that its composition defines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases, playSeeds } from '@hamlet/test/env/seeded';
import { z } from 'zod';
import { defineTool } from '../effects/tool.ts';
import { loadRun } from '../loop/transcript.ts';
import { outcomeOf, someJournals } from '../testing/a-tool.ts';
import { anEngine, aRequest } from '../testing/an-engine.ts';
import { diceOf, type Dice } from '../testing/dice.ts';
import { breaks, expectedOutcome, numberOf, type Expected } from '../testing/expected-outcome.ts';
import { drawSequence, manifestsOf, type Sequence } from '../testing/random-blocks.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { compilePlan } from '../workflow/plan/compile-plan.ts';
import { PipelineSpec } from '../workflow/plan/pipeline-spec.ts';
import { WorkflowSpec } from '../workflow/plan/workflow-spec.ts';
import { createFlow } from './create-flow.ts';

const journals = someJournals();
const Given = z.strictObject({ given: z.unknown() });

/** Tools whose calls end in a random order. */
const toolsWith = (dice: Dice) =>
  ['number', 'brittle'].map((name) =>
    defineTool({
      name,
      description: name,
      input: Given,
      effect: 'read',
      timeoutMs: 10_000,
      execute: async ({ given }) => {
        for (let turns = dice.below(4); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
        if (name === 'brittle' && breaks(given)) return { kind: 'failed', code: 'broken', text: 'It is broken.' };
        return { kind: 'ok', text: JSON.stringify(numberOf(given)) };
      },
    }),
  );

const flow = createFlow({
  agentRun: () => assert.fail('no stage asks an agent'),
  toolStep: ({ stage, input }, [settled]) => {
    if (settled === undefined) return { kind: 'calls', calls: [{ tool: stage.tool ?? '', arguments: input }] };
    const { outcome } = settled;
    if (outcome?.kind === 'ok') return { kind: 'done', output: JSON.parse(outcome.text) };
    return { kind: 'failed', failure: { category: 'tool', code: 'broken', message: 'It is broken.' } };
  },
  beforeStage: async () => null,
  afterStage: () => {},
});

function planOf(sequence: Sequence, maxParallel: number): string {
  const { workflow } = JSON.parse(manifestsOf(sequence, maxParallel).get('workflow.yaml') ?? '');
  const source = { workflow: WorkflowSpec.parse(workflow), pipelines: [PipelineSpec.parse({ id: 'default' })] };
  const compiled = compilePlan(source, 'default');
  return compiled.ok ? JSON.stringify(compiled.value) : assert.fail(JSON.stringify(compiled.errors));
}

async function carriedOut(plan: string, input: unknown, dice: Dice): Promise<Expected> {
  const journal = journals.open();
  const { engine } = anEngine({ journal, model: scriptedModel([]), tools: toolsWith(dice), flow });
  const task = JSON.stringify({ id: 't1', input, mode: null, tags: [] });
  const request = {
    run: 't1',
    conversation: 't1',
    input: JSON.stringify(input),
    stage: { id: 'task', plan },
    flow: { workflow: 'random', pipeline: 'default', task },
  };
  const outcome = await outcomeOf(await engine.start(aRequest(request)));
  const loaded = loadRun(journal, 't1');
  journal.close();
  if (!loaded.ok || outcome.kind !== 'done') assert.fail(JSON.stringify(outcome));
  const stages = [...(loaded.state.flow?.stages.values() ?? [])];
  const done = stages.filter(({ closed }) => closed?.end === 'done').map(({ id }) => id);
  return { output: JSON.parse(outcome.output ?? 'null'), done: done.toSorted() };
}

const WORKFLOWS = cases(12, 1_000);

test(`${WORKFLOWS} random workflows end as they are composed, in any order of the ends of their calls`, async (t) => {
  let stages = 0;
  await playSeeds(WORKFLOWS, async (seed) => {
    const dice = diceOf(seed);
    const sequence = drawSequence(dice);
    const input = { seed };
    const expected = expectedOutcome(sequence, input);
    stages += expected.done.length;
    for (const maxParallel of [1 + dice.below(3), 64])
      assert.deepEqual(await carriedOut(planOf(sequence, maxParallel), input, dice), expected);
  });
  t.diagnostic(`${stages} stages were done in each of the two rounds`);
});
