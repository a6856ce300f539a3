/**
 * The events of the journal. All state is derived from them.
 *
 * An event holds names, numbers and references. Texts (messages, arguments, results) are stored as payload rows, which can be
 * deleted without changing an event. Every event names its run, its stage and the fence of the engine that wrote it.
 */
import { z } from 'zod';
import { FORMS } from '../context/fit-pieces.ts';
import { JSON_ERROR_CODES } from '../json/repair.ts';
import { FAILURE_CATEGORIES } from '../workflow/plan/failure.ts';
import { MAX_EDGES_FROM, NODE_ROLES } from '../workflow/plan/plan.ts';

/** Increment it with every change of a form below, and add the conversion of the older form to `UPCASTS` in `read-event.ts`. */
export const EVENT_VERSION = 8;

/**
 * The effect of a tool on the world, which decides what may happen to a call with an unknown outcome.
 *
 * `read` and `idempotent` calls may run again. `keyed` calls run again with the same key. Before a `verify` call runs again, the
 * tool checks that it has not happened. A `once` call runs again only if a person decides so.
 */
export const EFFECTS = ['read', 'idempotent', 'keyed', 'verify', 'once'] as const;
export type Effect = (typeof EFFECTS)[number];

const OUTCOME_KINDS = [
  'ok',
  'invalid_input',
  'denied',
  'over_budget',
  'timed_out',
  'unavailable',
  'failed',
  'unknown',
] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

const BUDGET_CODES = ['budget_steps', 'budget_tokens', 'budget_money', 'budget_time', 'no_progress'] as const;
export type BudgetCode = (typeof BUDGET_CODES)[number];

/** `allow` and `deny` answer the policy's question; `happened` and `repeat` the one about an unknown outcome. */
export const ANSWERS = ['allow', 'deny', 'happened', 'repeat'] as const;
export type Answer = (typeof ANSWERS)[number];

/** `length`: the answer reached its limit of tokens. */
export const FINISHES = ['stop', 'length', 'tool_calls'] as const;
export type Finish = (typeof FINISHES)[number];

export const MAX_CALLS_PER_ANSWER = 64;
const MAX_NAME = 200;
/** An event with the most calls must stay within the bytes that the API takes. */
export const MAX_REPAIRS = 8;

const name = z.string().min(1).max(MAX_NAME);
const count = z.int().min(0);
const limit = z.int().min(1);
/** Reference of a text: see `digest.ts`. */
const hash = z.string().regex(/^[\w-]{22}$/);
const code = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);
const usage = z.strictObject({ prompt: count, completion: count, total: count });

export const Budgets = z.strictObject({
  /** Answers of the model. */
  steps: limit,
  tokens: limit,
  /** Millionths of an aiDollar. */
  moneyMicros: limit,
  /** Time in which an engine worked on the run, without the time spent waiting for a person. */
  timeMs: limit,
  /** Number of consecutive calls that repeated an earlier call with the same arguments and result. */
  idleCalls: limit,
});
export type Budgets = z.infer<typeof Budgets>;

const call = z.strictObject({
  /** The engine's id of the call, unique in the run: the number of the answer and the index of the call. */
  id: name,
  /** The provider's id of the call, which pairs the result with the call in the next request; absent of a call of a plan. */
  modelId: name.optional(),
  tool: name,
  arguments: hash,
  /** Null when the engine has no such tool. */
  effect: z.enum(EFFECTS).nullable(),
  /** Repairs of the arguments that the model wrote, as `RepairAction`s; absent if there were none. */
  repair: z.array(code).max(MAX_REPAIRS).optional(),
});

const outcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('done'), answer: hash }),
  /** `answer`: the last words of the model about the run; null if it gave none. */
  z.strictObject({ kind: z.literal('failed'), code, answer: hash.nullable() }),
  z.strictObject({ kind: z.literal('cancelled') }),
]);
export type ClosedOutcome = z.infer<typeof outcome>;

/** Maximum number of parts of a context: fifty earlier runs, and everything besides them. */
const MAX_CONTEXT_PARTS = 64;

const contextPart = z.strictObject({
  source: z.enum(['instructions', 'situation', 'tools', 'history', 'summary', 'kept', 'message', 'memory', 'schema']),
  form: z.enum(FORMS),
  /** Estimated from the size of the text. */
  tokens: count,
  /** Null if no text of this run has the part. */
  text: hash.nullable(),
  /** The earlier run whose messages the part has; null for other parts. */
  run: name.nullable(),
});
export type ContextPart = Readonly<z.infer<typeof contextPart>>;

/** The work of a stage of a plan begins: what it got, and the calls of a tool. `round`: of the judgements about it. */
const stageBegun = z.strictObject({
  role: z.enum(NODE_ROLES),
  attempt: z.int().min(1),
  round: z.int().min(1),
  input: hash,
  calls: z.array(call).max(MAX_CALLS_PER_ANSWER),
});

/**
 * The work of a stage of a plan ends. `again`: a judgement sends the judged stage back. `stopped`: nothing needs the stage any more.
 * `edges`: those that the task follows from here, by their ids; none if the stage is tried again.
 */
const stageEnded = z.strictObject({
  end: z.enum(['done', 'again', 'failed', 'skipped', 'stopped']),
  output: hash.nullable(),
  failure: z.strictObject({ category: z.enum(FAILURE_CATEGORIES), code, message: hash }).nullable(),
  edges: z.array(name).max(MAX_EDGES_FROM),
});

const envelope = {
  v: z.literal(EVENT_VERSION),
  run: name,
  stage: name,
  fence: z.int().min(1),
  /** Time by the clock of the engine that wrote the event, for display only. No decision depends on it. */
  at: count,
  /** Monotonic time since the engine's previous event of this run; 0 for the first one. */
  elapsedMs: count,
};

const bodies = {
  run_opened: {
    conversation: name,
    /** The conversation's previous run. */
    after: name.nullable(),
    parent: z.strictObject({ run: name, call: name }).nullable(),
    plan: hash,
    model: name,
    budgets: Budgets,
    /** The stable part of the system prompt, which does not change between runs, and the changing part. */
    prompt: hash,
    situation: hash,
    recalled: hash,
    input: hash,
    /** The JSON Schema that the answer must fit, and the number of answers after which the run fails; absent without one. */
    output: z.strictObject({ schema: hash, answers: limit }).optional(),
    /** The plan that the run carries out, if it does: workflow and pipeline, and the task with its mode, tags and overrides. */
    flow: z.strictObject({ workflow: name, pipeline: name, task: hash }).optional(),
  },
  run_resumed: {
    /** True if the journal was restored from a mirror, which may lack the last events. */
    volumeLost: z.boolean(),
  },
  /** `flow`: only of the stages of a plan. */
  stage_opened: { flow: stageBegun.optional() },
  stage_closed: { flow: stageEnded.optional() },
  /** Further calls of an open stage of a plan. */
  calls_planned: { calls: z.array(call).min(1).max(MAX_CALLS_PER_ANSWER) },
  /** The parts with which the next requests of the run begin, in their order; its turns follow. Nothing depends on it. */
  context_built: { parts: z.array(contextPart).max(MAX_CONTEXT_PARTS) },
  model_asked: { ask: count, attempt: count, request: hash },
  model_answered: {
    ask: count,
    attempt: count,
    message: hash,
    /** False if the answer is empty or only white space. */
    hasText: z.boolean(),
    finish: z.enum(FINISHES),
    calls: z.array(call).max(MAX_CALLS_PER_ANSWER),
    /** The answer of a run with a schema. `text`: its value as JSON if it fits (`code` is null), else the error for the model. */
    output: z
      .strictObject({
        code: z.enum(JSON_ERROR_CODES).nullable(),
        text: hash,
        /** Changes in the answer, as `RepairAction`s. */
        repair: z.array(code).max(MAX_REPAIRS),
      })
      .optional(),
    usage,
    moneyMicros: count,
  },
  model_failed: {
    ask: count,
    attempt: count,
    code,
    retryable: z.boolean(),
    /** Milliseconds after which the request may succeed, as the provider said; null if it did not. */
    retryAfterMs: count.nullable(),
    usage,
    moneyMicros: count,
  },
  /** The model cannot be reached for now. The run leaves the memory; another start of it asks again. */
  parked: { code, waitMs: count },
  tool_intent: {
    call: name,
    tool: name,
    arguments: hash,
    effect: z.enum(EFFECTS),
    key: hash.nullable(),
    attempt: z.int().min(1),
  },
  /**
   * `polls`: the call only waits for something, so its repetitions do not count as idle. `plain`: the result is the text that `plainText` gives
   * instead of the outcome as JSON; absent otherwise.
   */
  tool_settled: {
    call: name,
    outcome: z.enum(OUTCOME_KINDS),
    result: hash,
    polls: z.boolean(),
    plain: z.literal(true).optional(),
  },
  /** An attempt ended with an unknown effect. */
  tool_unknown: { call: name, attempt: z.int().min(1) },
  /**
   * A program that is the agent's mind says something about its own work during a call: `note` identifies a piece of work, `claim` has
   * its words. `outcome`: null while the work is under way. Nothing depends on it.
   */
  program_noted: {
    call: name,
    note: name,
    tool: name,
    outcome: z.enum(['ok', 'failed', 'unknown']).nullable(),
    claim: hash,
  },
  /** An attempt of a `read` ended, because the call waits for something outside of the engine. */
  call_parked: { call: name, code, waitMs: count },
  permission_asked: { request: name, call: name, why: z.enum(['policy', 'unknown']) },
  /** `words`: reference of the person's words to the agent, as `keptWords` writes them; null without words. */
  permission_answered: { request: name, answer: z.enum(ANSWERS), words: hash.nullable() },
  permission_expired: { request: name },
  budget_spent: { by: name, steps: count, tokens: count, moneyMicros: count },
  /** At most one of each code. */
  budget_warned: { code: z.enum(BUDGET_CODES) },
  /** A person raised limits of the run: the new ones. */
  budgets_raised: { budgets: Budgets },
  /** The next request is the last one, without tools; with its answer the run fails with this code. `words` is null. */
  finish_asked: { code, words: hash.nullable() },
  /** In later requests a summary replaces the conversation before the run and the first turns of the run. */
  turns_compacted: { summary: hash, turns: count },
  cancel_asked: {},
  interrupted: {},
  run_closed: { outcome, unsettled: z.array(name).max(MAX_CALLS_PER_ANSWER) },
} as const;

const form = <T extends keyof typeof bodies>(type: T) =>
  z.strictObject({ ...envelope, type: z.literal(type), ...bodies[type] });

export const JournalEvent = z.discriminatedUnion('type', [
  form('run_opened'),
  form('run_resumed'),
  form('stage_opened'),
  form('stage_closed'),
  form('calls_planned'),
  form('context_built'),
  form('model_asked'),
  form('model_answered'),
  form('model_failed'),
  form('parked'),
  form('tool_intent'),
  form('tool_settled'),
  form('tool_unknown'),
  form('program_noted'),
  form('call_parked'),
  form('permission_asked'),
  form('permission_answered'),
  form('permission_expired'),
  form('budget_spent'),
  form('budget_warned'),
  form('budgets_raised'),
  form('finish_asked'),
  form('turns_compacted'),
  form('cancel_asked'),
  form('interrupted'),
  form('run_closed'),
]);
export type JournalEvent = Readonly<z.infer<typeof JournalEvent>>;

export type EventType = JournalEvent['type'];
export const EVENT_TYPES = Object.keys(bodies);
export type EventOf<T extends EventType> = Extract<JournalEvent, { type: T }>;

type WithoutEnvelope<E> = E extends JournalEvent
  ? Omit<E, 'v' | 'run' | 'stage' | 'fence' | 'at' | 'elapsedMs'> & Readonly<{ stage?: string }>
  : never;
/** An event as the loop creates it; the runner adds the envelope, with the stage of the run unless the event names another. */
export type EventBody = Readonly<WithoutEnvelope<JournalEvent>>;
