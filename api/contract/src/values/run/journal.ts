import { z } from 'zod';
import { CallId } from '../permission.ts';
import { CONTEXT_FORMS, CONTEXT_SOURCES } from './run-context.ts';
import { WorkflowId } from './workflow.ts';

export const JOURNAL_ENTRIES_MAX = 200;
export const JOURNAL_PAYLOADS_MAX = 1_000;
export const JOURNAL_TEXT_MAX_CHARS = 262_144;
export const JOURNAL_BODY_MAX_BYTES = 1 << 20;
const EVENT_MAX_CHARS = 65_536;
const NAME_MAX_CHARS = 200;
const COUNT_MAX = 1_000_000_000;
/** The total of all entries of an agent fits in 64 bits. */
const MICROS_MAX = 1_000_000_000_000;
const CALLS_MAX = 64;
const CONTEXT_PARTS_MAX = 64;
const REPAIRS_MAX = 16;
/** The engine's limit for the edges of a plan. */
const EDGES_MAX = 5_000;
/** The last millisecond of the year 9999. */
const TIME_MAX_MS = 253_402_300_799_999;

/** The reference of a text of the journal: the engine's salted digest. */
export const JournalRef = z.string().regex(/^[\w-]{22}$/, 'write the reference of a text: 22 characters');
/** The reference under which an agent stores the salt of its references. It is not a digest. */
export const JOURNAL_SALT_REF = 'salt_of_this_journal__';

const Name = z.string().min(1).max(NAME_MAX_CHARS);
const Count = z.int().min(0).max(COUNT_MAX);
/** A NUL in JSON, which Postgres cannot store; an escaped backslash before `u0000` is text. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u0000/;

/**
 * An event of an agent's journal, as the agent claims it. The API validates the envelope and stores other fields
 * unchanged, because a newer engine may write unknown kinds.
 */
export const JournalClaim = z
  .looseObject({
    v: z.int().min(1).max(COUNT_MAX),
    type: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'write the type of the event in lower case'),
    run: Name,
    stage: Name,
    fence: z.int().min(1),
    at: z.int().min(0),
    elapsedMs: z.int().min(0),
  })
  .superRefine((event, context) => {
    const text = JSON.stringify(event);
    if (text.length > EVENT_MAX_CHARS)
      context.addIssue({ code: 'custom', message: `write an event of at most ${EVENT_MAX_CHARS} characters` });
    if (UNSTORABLE.test(text)) context.addIssue({ code: 'custom', message: 'an event has a NUL: leave it out' });
  });
export type JournalClaim = z.infer<typeof JournalClaim>;

export const JournalEntry = z.strictObject({
  seq: z.int().min(1).describe('Place in the journal of the agent; places of one run have gaps'),
  event: JournalClaim,
});
export type JournalEntry = z.infer<typeof JournalEntry>;

/** The API stores NUL and lone surrogates as U+FFFD. */
export const JournalPayload = z.strictObject({ ref: JournalRef, text: z.string().max(JOURNAL_TEXT_MAX_CHARS) });
export type JournalPayload = z.infer<typeof JournalPayload>;

const usage = z.object({ prompt: Count, completion: Count, total: Count });
const micros = z.int().min(0).max(MICROS_MAX);
const word = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);
const asking = { ask: Count, attempt: Count };
const of = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/** `repair`: what the engine changed in the arguments that the model wrote. */
const call = z.object({
  id: CallId,
  tool: Name,
  arguments: JournalRef,
  effect: word.nullable(),
  repair: z.array(word).max(REPAIRS_MAX).optional().catch(undefined),
});

const calls = z.array(call).max(CALLS_MAX);

/** The work of a stage of a workflow. The stage of any other run has none. */
const stageWork = z.object({ role: word, attempt: Count, round: Count, calls }).optional().catch(undefined);
const stageEnd = z
  .object({ end: word, failure: z.object({ code: word }).nullable() })
  .optional()
  .catch(undefined);

/** The answer of a run with an output schema. `code`: of its fault; null if it fits. `repair`: what the engine changed in it. */
const answerCheck = z.object({
  code: z
    .string()
    .regex(/^[A-Z_]{1,64}$/)
    .nullable(),
  repair: z.array(word).max(REPAIRS_MAX),
});

/** The events that people see; other kinds and fields are omitted. */
export const VisibleClaim = z.discriminatedUnion('type', [
  of('run_opened', { model: Name }),
  of('model_asked', asking),
  of('model_answered', {
    ...asking,
    message: JournalRef,
    calls,
    output: answerCheck.optional().catch(undefined),
    usage,
    moneyMicros: micros,
  }),
  of('model_failed', { ...asking, code: word, usage, moneyMicros: micros }),
  of('tool_intent', { call: CallId, tool: Name, arguments: JournalRef, effect: word }),
  /** `plain`: the result is the text itself, or that text as JSON, instead of the outcome as JSON. */
  of('tool_settled', {
    call: CallId,
    outcome: word,
    result: JournalRef,
    plain: z.literal(true).optional().catch(undefined),
  }),
  of('tool_unknown', { call: CallId }),
  /** A claim of the agent's program about its own work. `outcome`: null while the work is under way. */
  of('program_noted', { note: CallId, tool: Name, outcome: word.nullable(), claim: JournalRef }),
  of('stage_opened', { stage: Name, flow: stageWork }),
  of('stage_closed', { stage: Name, flow: stageEnd }),
  of('calls_planned', { calls }),
  of('budget_warned', { code: word }),
  of('interrupted', {}),
]);
export type VisibleClaim = z.infer<typeof VisibleClaim>;

/** The events from which people see what a request to the model contained. */
export const ContextClaim = z.discriminatedUnion('type', [
  of('context_built', {
    parts: z
      .array(
        z.object({
          source: z.enum(CONTEXT_SOURCES),
          form: z.enum(CONTEXT_FORMS),
          tokens: Count,
          text: JournalRef.nullable(),
          run: Name.nullable(),
        }),
      )
      .max(CONTEXT_PARTS_MAX),
  }),
  of('turns_compacted', { turns: Count }),
]);
export type ContextClaim = z.infer<typeof ContextClaim>;

const stageAt = { stage: WorkflowId, at: z.int().min(0).max(TIME_MAX_MS) };

/** The events from which people see the workflow of a run. Texts are references. */
export const FlowClaim = z.discriminatedUnion('type', [
  of('run_opened', { plan: JournalRef, flow: z.object({ pipeline: WorkflowId }) }),
  of('stage_opened', {
    ...stageAt,
    flow: z.object({ role: word, attempt: Count, round: Count, input: JournalRef }),
  }),
  of('stage_closed', {
    ...stageAt,
    flow: z.object({
      end: z.enum(['done', 'again', 'failed', 'skipped', 'stopped']),
      output: JournalRef.nullable(),
      failure: z.object({ category: word, code: word, message: JournalRef }).nullable(),
      edges: z.array(Name).max(EDGES_MAX),
    }),
  }),
]);
export type FlowClaim = z.infer<typeof FlowClaim>;
