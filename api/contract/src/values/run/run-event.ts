import { z } from 'zod';
import { AiDollars } from '../money.ts';
import { CallId } from '../permission.ts';
import { JsonObject, Time } from '../scalars.ts';

/** Maximum characters of a call's or an answer's text in an event; longer texts are shortened. */
export const RUN_EVENT_TEXT_MAX_CHARS = 4_096;

export const MODEL_EVENT_KINDS = ['model_asked', 'model_answered', 'model_failed'] as const;
export const CALL_EVENT_KINDS = ['call_begun', 'call_settled', 'call_unknown'] as const;
const OTHER_EVENT_KINDS = [
  'queued',
  'started',
  'redelivered',
  'step',
  'cancel_requested',
  'lapsed',
  'settled',
  'permission_asked',
  'permission_answered',
  'permission_expired',
  'waiting',
  'budget_warned',
  'budget_raised',
  'interrupted',
  'stage_begun',
  'stage_ended',
] as const;
export const RUN_EVENT_KINDS = [...OTHER_EVENT_KINDS, ...MODEL_EVENT_KINDS, ...CALL_EVENT_KINDS] as const;
export type RunEventKind = (typeof RUN_EVENT_KINDS)[number];

const Text = z.string().max(RUN_EVENT_TEXT_MAX_CHARS).nullable();

/** `ask` and `attempt` identify the request to the model, also in deltas. Fields that do not apply to the kind are null. */
export const RunModelDetail = z.strictObject({
  ask: z.int().min(0),
  attempt: z.int().min(0),
  model: z.string().nullable(),
  usage: z
    .strictObject({ prompt: z.int().min(0), completion: z.int().min(0), total: z.int().min(0) })
    .nullable()
    .describe('Tokens'),
  cost: AiDollars.nullable(),
  code: z.string().nullable().describe('Reason of a failure'),
  text: Text.describe('Text of the answer; null if there is none or it was deleted'),
  repairs: z
    .array(z.strictObject({ tool: z.string(), actions: z.array(z.string()) }))
    .optional()
    .describe('Changes of the engine in arguments that the model wrote as almost JSON; absent if there are none'),
  output: z
    .strictObject({ code: z.string().nullable(), actions: z.array(z.string()) })
    .optional()
    .describe(
      'The answer of a run with an output schema: the code of its fault, null if it fits, and the changes of the engine in it',
    ),
  thoughts: Text.unwrap().optional().describe('Thoughts of the model before the answer; absent if it shows none'),
});
export type RunModelDetail = z.infer<typeof RunModelDetail>;

/** Fields that do not apply to the kind are null, and so are deleted texts. */
export const RunCallDetail = z.strictObject({
  call_id: CallId,
  tool: z.string().nullable(),
  effect: z.string().nullable(),
  arguments_text: Text,
  outcome: z.string().nullable(),
  result_text: Text,
  exit: z
    .int()
    .nullable()
    .optional()
    .describe('Exit code of the program of the call, as its pod claims; null after a signal, absent without a program'),
});
export type RunCallDetail = z.infer<typeof RunCallDetail>;

const base = {
  run_id: z.uuid(),
  number: z.int().min(1).describe('Number of the event in its run, without gaps'),
  at: Time,
  witnessed: z.boolean().describe('True if the API saw it, false if the agent claims it'),
};
export const RunEvent = z.discriminatedUnion('event', [
  z.strictObject({ ...base, event: z.enum(OTHER_EVENT_KINDS), detail: JsonObject }),
  z.strictObject({ ...base, event: z.enum(MODEL_EVENT_KINDS), detail: RunModelDetail }),
  z.strictObject({ ...base, event: z.enum(CALL_EVENT_KINDS), detail: RunCallDetail }),
]);
export type RunEvent = z.infer<typeof RunEvent>;

/** A piece of an answer while the model writes it. Pieces may be lost and are never stored. */
export const RunDelta = z.strictObject({
  run_id: z.uuid(),
  ask: z.int().min(0),
  attempt: z.int().min(0),
  text: z.string().min(1),
});
export type RunDelta = z.infer<typeof RunDelta>;
