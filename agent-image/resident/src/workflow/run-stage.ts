import type { Worker } from '@hamlet/contract';
import { defineTool, type Engine, type Tool } from '@hamlet/engine';
import { z } from 'zod';
import { workByWorker } from '../tools/delegating.ts';
import { codeOf, failed, okay, outcomeOf, type ToolKit, type ToolResult } from '../tools/tool-kit.ts';

/** The tool of the village that gives a stage to a worker. */
const RUN_STAGE = 'run_stage';
const DAY_MS = 86_400_000;

export type StageKit = Pick<ToolKit, 'work' | 'book' | 'childRuns' | 'mirrored' | 'rest' | 'random'>;

/**
 * The tool whose calls ask the agents of stages. The API has one worker for each call, so a repeated call finds its worker: the engine may
 * repeat it like a read, even after it waited for people or a model.
 */
export const runStage = (kit: StageKit, journal: Pick<Engine, 'outcomeOf'>): Tool =>
  defineTool({
    name: RUN_STAGE,
    description: 'Gives a stage of the workflow to a worker.',
    // The engine makes these calls itself, and the API checks them.
    input: z.looseObject({}),
    effect: 'read',
    timeoutMs: DAY_MS,
    execute: (_input, context) =>
      outcomeOf(() => workByWorker(kit, context, { tool: RUN_STAGE, resultOf: (worker) => answerOf(worker, journal) })),
  });

/** The exact answer of a worker, as JSON, from the journal: the API has a summary alone. */
function answerOf({ run }: Worker, journal: Pick<Engine, 'outcomeOf'>): ToolResult {
  if (run.state !== 'done') {
    const { code = run.state, message = '' } = run.error ?? {};
    return failed(codeOf(code), message);
  }
  const outcome = journal.outcomeOf(run.run_id);
  if (outcome?.kind !== 'done')
    return failed('answer_lost', `The journal has lost the answer of the run ${run.run_id}. Repeat the stage.`);
  return okay(outcome.output ?? JSON.stringify(outcome.text));
}
