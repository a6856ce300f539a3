/** OpenAI's Agents SDK: a streamed run. It stores nothing: the caller keeps a `RunState`, if it wants to. */
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import { serve } from '../../engine/subject.ts';

setTracingDisabled(true);
const client = new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'none' });
const lookAt = tool({
  name: 'look_at',
  description: 'Looks at a place.',
  parameters: z.object({ place: z.string() }),
  execute: async ({ place }) => `The ${place} is open until noon.`,
});
const agents = new Map();

function agentOf(calls) {
  if (!agents.has(calls)) {
    const model = new OpenAIChatCompletionsModel(client, `calls-${calls}`);
    agents.set(calls, new Agent({ name: 'Ada', instructions: 'You are Ada.', model, tools: [lookAt] }));
  }
  return agents.get(calls);
}

serve({
  run: async (calls) => {
    const stream = await run(agentOf(calls), 'Look around.', { stream: true, maxTurns: calls + 2 });
    for await (const _ of stream);
    await stream.completed;
    return stream.finalOutput;
  },
});
