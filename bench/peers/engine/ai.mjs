/** Vercel's AI SDK: `streamText` with a tool. It stores nothing: the caller keeps the messages. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { serve } from '../../engine/subject.ts';

const provider = createOpenAICompatible({ name: 'scripted', baseURL: process.env.MODEL_URL, includeUsage: true });
const look_at = tool({
  description: 'Looks at a place.',
  inputSchema: z.object({ place: z.string() }),
  execute: async ({ place }) => `The ${place} is open until noon.`,
});

serve({
  run: async (calls) =>
    streamText({
      model: provider(`calls-${calls}`),
      system: 'You are Ada.',
      prompt: 'Look around.',
      tools: { look_at },
      stopWhen: stepCountIs(calls + 2),
    }).text,
});
