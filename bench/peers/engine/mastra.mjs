/**
 * Mastra: a streamed agent, which stores nothing by itself, and a workflow with its Postgres store, which writes a
 * snapshot of the whole run at each step.
 */
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { PostgresStore } from '@mastra/pg';
import { z } from 'zod';
import { serve } from '../../engine/subject.ts';
import { storedBytes } from './stored-bytes.mjs';

const look_at = createTool({
  id: 'look_at',
  description: 'Looks at a place.',
  inputSchema: z.object({ place: z.string() }),
  execute: async ({ place }) => `The ${place} is open until noon.`,
});
const agents = new Map();

function agentOf(calls) {
  if (!agents.has(calls)) {
    const model = { providerId: 'scripted', modelId: `calls-${calls}`, url: process.env.MODEL_URL, apiKey: 'none' };
    const agent = new Agent({
      id: `ada-${calls}`,
      name: 'Ada',
      instructions: 'You are Ada.',
      model,
      tools: { look_at },
    });
    agents.set(calls, agent);
  }
  return agents.get(calls);
}

let work = { texts: [], mark: () => {} };
const Done = z.object({ done: z.number(), text: z.string() });
const step = createStep({
  id: 'step',
  inputSchema: Done,
  outputSchema: Done,
  execute: async ({ inputData: { done } }) => {
    work.mark();
    return { done: done + 1, text: work.texts[done] };
  },
});

async function stepsOf(texts, mark) {
  work = { texts, mark };
  const workflow = createWorkflow({ id: 'many', inputSchema: Done, outputSchema: Done })
    .dountil(step, async ({ inputData: { done } }) => done >= texts.length)
    .commit();
  const storage = new PostgresStore({ id: 'bench', connectionString: process.env.POSTGRES_URL });
  await storage.init();
  const mastra = new Mastra({ workflows: { many: workflow }, storage, logger: false });
  const run = await mastra.getWorkflow('many').createRun();
  const { status, error } = await run.start({ inputData: { done: 0, text: '' } });
  if (status !== 'success') throw new Error(`${status}: ${error}`);
}

serve({
  run: async (calls) => {
    const stream = await agentOf(calls).stream('Look around.', { maxSteps: calls + 2 });
    return stream.text;
  },
  steps: stepsOf,
  stored: () => storedBytes(process.env.POSTGRES_URL),
});
