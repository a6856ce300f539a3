/** Mastra: a workflow with its Postgres store, which writes a snapshot of the whole run at each step. */
import { Mastra } from '@mastra/core/mastra';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { PostgresStore } from '@mastra/pg';
import { z } from 'zod';
import { serve } from '../../engine/subject.ts';
import { StageWork } from '../../workflow/stage-work.ts';
import { storedBytes } from './stored-bytes.mjs';

const work = new StageWork();
const Text = z.object({ text: z.string() });

const stepOf = (at) =>
  createStep({
    id: `s${at}`,
    inputSchema: Text,
    outputSchema: Text,
    execute: async ({ inputData: { text }, runId }) => ({ text: work.textOf({ task: runId, at, text }) }),
  });

function workflowOf(id, shape, stages) {
  const steps = Array.from({ length: stages }, (_, at) => stepOf(at));
  const empty = createWorkflow({ id, inputSchema: Text, outputSchema: z.any() });
  const workflow = shape === 'sequence' ? steps.reduce((all, step) => all.then(step), empty) : empty.parallel(steps);
  return workflow.commit();
}

const storage = new PostgresStore({ id: 'bench', connectionString: process.env.POSTGRES_URL });
await storage.init();
const known = new Map();

function mastraWith(id, shape, stages) {
  if (!known.has(id))
    known.set(id, new Mastra({ workflows: { [id]: workflowOf(id, shape, stages) }, storage, logger: false }));
  return known.get(id);
}

async function outputOf(task, shape, stages) {
  const id = `${shape}-${stages}`;
  const run = await mastraWith(id, shape, stages).getWorkflow(id).createRun({ runId: task });
  const ended = await run.start({ inputData: { text: '' } });
  if (ended.status !== 'success') throw new Error(`${ended.status}: ${ended.error}`);
  return ended.result;
}

serve({
  task: (shape, texts) =>
    work.during(shape, texts, async (task) => {
      const output = await outputOf(task, shape, texts.length);
      return shape === 'sequence' ? [output.text] : texts.map((_text, at) => output[`s${at}`].text);
    }),
  stored: () => storedBytes(process.env.POSTGRES_URL),
});
