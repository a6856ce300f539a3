import { z } from 'zod';
import { MAX_PROSE_CHARS } from '../kinds/text.ts';
import { AgentId, JsonObject, plainText, Time } from './scalars.ts';

/** The same limit as for the prompt of a Schedule. */
export const RUN_PROMPT_MAX_CHARS = MAX_PROSE_CHARS;
export const RUN_SUMMARY_MAX_CHARS = 4_000;
export const RUN_REASON_MAX_CHARS = 500;
export const RUN_STEPS_MAX = 64;

export function runText(max: number): z.ZodString {
  return plainText(max);
}

/** A lease ends this long after the start or the last renewal; then the run waits for an agent again. */
export const RUN_LEASE_S = 30;
/** The loss of one renewal does not end the lease. */
export const RUN_RENEW_EVERY_S = 10;

export const RunKind = z.enum(['schedule', 'prompt']);
export type RunKind = z.infer<typeof RunKind>;

/** The last three are final. */
export const RUN_STATES = ['queued', 'running', 'waiting_permission', 'done', 'failed', 'cancelled'] as const;
export const RunState = z.enum(RUN_STATES);
export type RunState = z.infer<typeof RunState>;

export const SettledState = z.enum(['done', 'failed', 'cancelled']);
export type SettledState = z.infer<typeof SettledState>;

/** `code` is a word for programs, `message` a sentence for people. */
export const RunError = z.strictObject({ code: runText(64), message: runText(RUN_REASON_MAX_CHARS) });
export type RunError = z.infer<typeof RunError>;

/** The prompt is only text: a part that looks like a tool call is never executed. */
export const Run = z.strictObject({
  run_id: z.uuid(),
  agent_id: AgentId,
  kind: RunKind,
  state: RunState,
  prompt: z.string(),
  created_at: Time,
  created_by: z.strictObject({ role: z.string(), id: z.string() }),
  schedule: z.strictObject({ name: z.string(), uid: z.string(), slot: Time }).nullable(),
  attempt: z
    .int()
    .min(0)
    .describe('Number of times that the run was started; 0 before. It names the lease of the agent that works on it'),
  cycle: z.int().min(0).nullable().describe('Run cycle of the agent that works on it'),
  started_at: Time.nullable(),
  ended_at: Time.nullable(),
  summary: z.string().nullable().describe('Result in the words of the agent'),
  error: RunError.nullable(),
  cancel_requested_at: Time.nullable(),
});
export type Run = z.infer<typeof Run>;

export const RUN_EVENT_KINDS = [
  'queued',
  'started',
  'redelivered',
  'step',
  'cancel_requested',
  'lapsed',
  'settled',
] as const;
export const RunEvent = z.strictObject({
  run_id: z.uuid(),
  number: z.int().min(1).describe('Number of the event in its run, without gaps'),
  event: z.enum(RUN_EVENT_KINDS),
  at: Time,
  detail: JsonObject,
});
export type RunEvent = z.infer<typeof RunEvent>;

/** A recorded step is never repeated. */
export const RunStep = z.strictObject({
  step: z
    .int()
    .min(0)
    .max(RUN_STEPS_MAX - 1),
  outcome: z.enum(['done', 'failed']),
  text: runText(RUN_REASON_MAX_CHARS).describe('Finished work in the words of the agent'),
});
export type RunStep = z.infer<typeof RunStep>;

/** The hint to a resident that a run waits for it, or that one of its runs has changed. */
export const RunHint = z.strictObject({ run_id: z.uuid(), run: Run.optional() });
export type RunHint = z.infer<typeof RunHint>;
