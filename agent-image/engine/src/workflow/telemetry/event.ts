/**
 * The telemetry events of tasks: a closed list with snake_case names, the same on every wire.
 *
 * An event names its task, run, stage and agent where they are known. Texts of models and results of tools are left out; inputs and
 * outputs of tasks and stages are bounded JSON values, which pass the redaction before any sink.
 */
import { z } from 'zod';
import { EFFECTS } from '../../journal/event.ts';
import { FAILURE_CATEGORIES } from '../plan/failure.ts';
import { NODE_ROLES } from '../plan/plan.ts';

/** Increment it with every change of a form below. */
export const TELEMETRY_VERSION = 1;

/** A redaction may make a name longer than the engine allows. */
const MAX_NAME = 400;
/** Longest message of an error, in characters, before the redaction. */
export const MAX_MESSAGE_CHARS = 500;
const MAX_LIST = 1_000;

const name = z.string().max(MAX_NAME);
const count = z.int().min(0);
/** Milliseconds since 1970, for display; durations are measured. */
const time = z.int().min(0);
/** A JSON value; null if there is none, and a text in brackets in place of one that was deleted or is too large. */
const payload = z.json();

const Usage = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  /** Millionths of the currency of the price table; null if the table lacks a model that was used. */
  cost_micros: count.nullable(),
  /** Millionths of an aiDollar that the village charged. */
  money_micros: count,
});
/** The use of models. A stage, an agent and a task have the sum over all their calls. */
export type Usage = Readonly<z.infer<typeof Usage>>;

const Failure = z.strictObject({
  taskId: name,
  /** Empty outside of workflows. */
  pipelineId: name,
  /** Empty if no stage failed. */
  stageId: name,
  /** The role of the stage; empty if it is unknown. */
  nodeType: name,
  category: z.enum(FAILURE_CATEGORIES),
  code: name,
});

const envelope = {
  v: z.literal(TELEMETRY_VERSION),
  /** Counts the events of the task while one process works on it. A gap means that a sink dropped events. */
  seq: z.int().min(1),
  task: name,
  /** The run of the task, or a run that works for it. */
  run: name,
  stage: name.nullable(),
  agent: name.nullable(),
  at: time,
  /** Time for which an engine has worked on the run, without the time spent waiting for people. */
  monotonic_ms: count,
};

/** An action with a duration: reported at its end. */
const span = { started_at: time, duration_ms: count };
const call = { call: name, tool: name };
const staged = { role: z.enum(NODE_ROLES).nullable(), attempt: z.int().min(1), round: z.int().min(1) };

const bodies = {
  task_created: {
    workflow: name.nullable(),
    pipeline: name.nullable(),
    mode: name.nullable(),
    tags: z.array(name).max(MAX_LIST),
    input: payload,
  },
  task_finished: {
    ...span,
    workflow: name.nullable(),
    pipeline: name.nullable(),
    status: z.enum(['completed', 'failed', 'cancelled']),
    failure: Failure.nullable(),
    usage: Usage,
  },
  stage_started: { ...staged, input: payload },
  stage_finished: {
    ...span,
    ...staged,
    /** `again`: a judgement sends the judged stage back. `stopped`: nothing needs the stage any more. */
    end: z.enum(['done', 'again', 'failed', 'skipped', 'stopped']),
    output: payload,
    failure: Failure.nullable(),
    usage: Usage,
  },
  agent_called: {
    ...span,
    model: name,
    conversation: name,
    outcome: z.enum(['done', 'failed', 'cancelled']),
    code: name.nullable(),
    usage: Usage,
  },
  /** `attempts`: 0 if the call ended before it ran, for example because its arguments were wrong. */
  tool_called: {
    ...span,
    ...call,
    effect: z.enum(EFFECTS).nullable(),
    attempts: count,
    outcome: name,
    code: name.nullable(),
  },
  model_called: {
    ...span,
    model: name,
    conversation: name,
    ask: count,
    attempt: count,
    outcome: z.enum(['answered', 'failed']),
    finish: name.nullable(),
    code: name.nullable(),
    tool_calls: count,
    usage: Usage,
  },
  /** Memories with which the requests of a run begin. */
  memory_retrieved: { parts: count, tokens: count },
  /** `choice`: the choice of a pipeline with its candidates, or the edges that were taken. */
  routing_decision: { kind: z.enum(['pipeline', 'edges']), choice: payload },
  /** `code`: the error that the text has, or had before the repair. `actions`: of the closed list of the JSON engine. */
  json_repair: {
    where: z.enum(['output', 'arguments']),
    tool: name.nullable(),
    result: z.enum(['repaired', 'refused']),
    code: name.nullable(),
    actions: z.array(name).max(MAX_LIST),
  },
  /** `by`: a person whose permission the call has, else the policy. */
  permission_checked: { ...call, verdict: z.enum(['allow', 'ask']), by: z.enum(['policy', 'person']) },
  permission_denied: { ...call, code: name, message: z.string() },
  /** A call begins whose tool has a high risk, or whose effect nothing can repeat or take back. */
  sensitive_call: { ...call, effect: z.enum(EFFECTS) },
  error: { where: z.enum(['model', 'tool', 'stage', 'task', 'engine']), failure: Failure, message: z.string() },
} as const;

const form = <T extends keyof typeof bodies>(type: T) =>
  z.strictObject({ type: z.literal(type), ...envelope, ...bodies[type] });

export const TelemetryEvent = z.discriminatedUnion('type', [
  form('task_created'),
  form('task_finished'),
  form('stage_started'),
  form('stage_finished'),
  form('agent_called'),
  form('tool_called'),
  form('model_called'),
  form('memory_retrieved'),
  form('routing_decision'),
  form('json_repair'),
  form('permission_checked'),
  form('permission_denied'),
  form('sensitive_call'),
  form('error'),
]);
export type TelemetryEvent = Readonly<z.infer<typeof TelemetryEvent>>;

export type TelemetryType = TelemetryEvent['type'];
export type TelemetryOf<T extends TelemetryType> = Extract<TelemetryEvent, { type: T }>;

type WithoutEnvelope<E> = E extends TelemetryEvent ? Omit<E, keyof typeof envelope> : never;
/** An event as the projection creates it, before it adds the envelope. `stage` and `agent` replace those of the run. */
export type TelemetryBody = Readonly<WithoutEnvelope<TelemetryEvent> & { stage?: string | null }>;
