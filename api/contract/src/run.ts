import { z } from 'zod';
import { MAX_PROSE_CHARS } from './kinds/text.ts';
import { plainText } from './plain-text.ts';
import { AgentId, JsonObject, Time } from './routes/scalars.ts';

/** Longest prompt of a run, as long as that of a Schedule. */
export const RUN_PROMPT_MAX_CHARS = MAX_PROSE_CHARS;
export const RUN_SUMMARY_MAX_CHARS = 4_000;
export const RUN_REASON_MAX_CHARS = 500;
/** Steps that an agent may note in one run. */
export const RUN_STEPS_MAX = 64;

/** Text of a run: at least one character. */
export function runText(max: number): z.ZodString {
  return plainText(max);
}

/** A claim on a run holds for so long after it was made or renewed; then the run waits for an agent again. */
export const RUN_LEASE_S = 30;
/** A resident renews its claim so often: one renewal may be lost. */
export const RUN_RENEW_EVERY_S = 10;

/** What a run came from. More will follow: a message, a worker request, the agent's own loop. */
export const RUN_KINDS = ['schedule', 'prompt'] as const;
export const RunKind = z.enum(RUN_KINDS);
export type RunKind = z.infer<typeof RunKind>;

/** The states of a run; the last three are final. */
export const RUN_STATES = ['queued', 'running', 'waiting_permission', 'done', 'failed', 'cancelled'] as const;
export const RunState = z.enum(RUN_STATES);
export type RunState = z.infer<typeof RunState>;

/** How a run ends. */
export const SettledState = z.enum(['done', 'failed', 'cancelled']);
export type SettledState = z.infer<typeof SettledState>;

/** Why a run failed: one word for programs, a sentence for people. */
export const RunError = z.strictObject({ code: runText(64), message: runText(RUN_REASON_MAX_CHARS) });
export type RunError = z.infer<typeof RunError>;

/** One piece of work for an agent. The prompt is text and nothing else: what looks like a call of a tool in it is read, never executed. */
export const Run = z.strictObject({
  run_id: z.uuid(),
  agent_id: AgentId,
  kind: RunKind,
  state: RunState,
  prompt: z.string(),
  created_at: Time,
  created_by: z.strictObject({ role: z.string(), id: z.string() }),
  schedule: z.strictObject({ name: z.string(), uid: z.string(), slot: Time }).nullable(),
  attempt: z.int().min(0).meta({
    description: 'Counts how often the run was taken up; 0 until it was. It names the claim of whoever works on it',
  }),
  cycle: z.int().min(0).nullable().meta({ description: 'The run cycle of the agent that works on it' }),
  started_at: Time.nullable(),
  ended_at: Time.nullable(),
  summary: z.string().nullable().meta({ description: 'What came of it, in the words of the agent' }),
  error: RunError.nullable(),
  cancel_requested_at: Time.nullable(),
});
export type Run = z.infer<typeof Run>;

/** What happens to a run, in the order it happened. */
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
  number: z.int().min(1).meta({ description: 'Counts the events of the run without a gap' }),
  event: z.enum(RUN_EVENT_KINDS),
  at: Time,
  detail: JsonObject,
});
export type RunEvent = z.infer<typeof RunEvent>;

/** One step of a run that is behind the agent. A step that is noted is never done again, whatever becomes of the agent. */
export const RunStep = z.strictObject({
  step: z
    .int()
    .min(0)
    .max(RUN_STEPS_MAX - 1),
  outcome: z.enum(['done', 'failed']),
  text: runText(RUN_REASON_MAX_CHARS).meta({ description: 'What was done, in the words of the agent' }),
});
export type RunStep = z.infer<typeof RunStep>;

/** Tells a resident to look: there is a run for it, or one of its runs has changed. */
export const RunHint = z.strictObject({ run_id: z.uuid(), run: Run.optional() });
export type RunHint = z.infer<typeof RunHint>;
