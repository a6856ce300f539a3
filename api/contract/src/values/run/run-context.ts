import { z } from 'zod';
import { RUN_EVENT_TEXT_MAX_CHARS } from './run-event.ts';

/** Maximum number of parts of one request; the oldest answers and results beyond them are left out. */
export const RUN_CONTEXT_PARTS_MAX = 200;

/** Sources of the parts before the turns of a run, as its agent names them. */
export const CONTEXT_SOURCES = [
  'instructions',
  'situation',
  'tools',
  'history',
  'summary',
  'kept',
  'message',
  'memory',
  'schema',
] as const;
export const CONTEXT_FORMS = ['whole', 'shortened', 'left_out'] as const;

export const RunContextPart = z.strictObject({
  source: z
    .enum([...CONTEXT_SOURCES, 'answer', 'result'])
    .describe('`history`: an earlier run of the conversation; `kept`: what a tool keeps of calls in a summary'),
  form: z.enum(CONTEXT_FORMS).describe('`shortened`: only excerpts fitted; `left_out`: nothing did'),
  tokens: z.int().min(0).nullable().describe('An estimate; of an answer, the count of its provider'),
  tool: z.string().nullable().describe('Tool of a result'),
  run_id: z.uuid().nullable().describe('The earlier run'),
  text: z
    .string()
    .max(RUN_EVENT_TEXT_MAX_CHARS)
    .nullable()
    .describe('Shortened to 4,096 characters; null if it was deleted or the part has no text of its own'),
});
export type RunContextPart = z.infer<typeof RunContextPart>;

/** The request to the model with the number `ask`, as the agent claims it. */
export const RunContext = z.strictObject({
  ask: z.int().min(0),
  prompt_tokens: z.int().min(0).nullable().describe('Tokens of the whole request as the provider counted them'),
  parts: z.array(RunContextPart).max(RUN_CONTEXT_PARTS_MAX).describe('In the order of the request'),
  omitted: z.int().min(0).describe('Older answers and results that the request had and this list has not'),
});
export type RunContext = z.infer<typeof RunContext>;
