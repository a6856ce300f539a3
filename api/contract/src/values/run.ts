import { z } from 'zod';
import { MAX_PROSE_CHARS } from '../kinds/text.ts';
import { AiDollars } from './money.ts';
import { CallId } from './permission.ts';
import { AgentId, plainText, Time } from './scalars.ts';
import { TaintMark } from './taint.ts';

/** The same limit as for the prompt of a Schedule. */
export const RUN_PROMPT_MAX_CHARS = MAX_PROSE_CHARS;
export const RUN_SUMMARY_MAX_CHARS = 4_000;
export const RUN_REASON_MAX_CHARS = 500;
/** Limit of the numbers of recorded steps; the budget of a run allows fewer. */
export const RUN_STEPS_MAX = 1_000;
export const RUN_UNSETTLED_MAX = 64;
export const RUN_ANSWER_MAX_CHARS = 65_536;

export function runText(max: number): z.ZodString {
  return plainText(max);
}

/** A lease ends this long after the start or the last renewal; then the run waits for an agent again. */
export const RUN_LEASE_S = 30;
/** The loss of one renewal does not end the lease. */
export const RUN_RENEW_EVERY_S = 10;

/** `message`: a person's message in a session. `worker`: a part of another run of the agent, which that run delegated. */
export const RunKind = z.enum(['schedule', 'prompt', 'message', 'worker']);
export type RunKind = z.infer<typeof RunKind>;

/**
 * A run that changes nothing. `analysis_only`: calls that change something are denied. `dry_run`: they are denied too, and the model
 * continues as if they had been performed, so that its answer says what it would have done. Workers have the mode of their parent.
 */
export const SafeMode = z.enum(['analysis_only', 'dry_run']);
export type SafeMode = z.infer<typeof SafeMode>;

/** An agent works on one run of each lane at a time, so that people need not wait for a long task. */
export const RunLane = z.enum(['message', 'task']);
export type RunLane = z.infer<typeof RunLane>;

/** The last three are final. */
export const RUN_STATES = ['queued', 'running', 'waiting_permission', 'done', 'failed', 'cancelled'] as const;
export const RunState = z.enum(RUN_STATES);
export type RunState = z.infer<typeof RunState>;

export const SettledState = z.enum(['done', 'failed', 'cancelled']);
export type SettledState = z.infer<typeof SettledState>;

/** `code` is a word for programs, `message` a sentence for people. */
export const RunError = z.strictObject({ code: runText(64), message: runText(RUN_REASON_MAX_CHARS) });
export type RunError = z.infer<typeof RunError>;

/** Limits of a run together with all runs that work for it. */
export const RunBudgets = z.strictObject({
  steps: z.int().min(1).describe('Answers of the model'),
  tokens: z.int().min(1),
  money: AiDollars,
  timeMs: z.int().min(1).describe('Time in which the agent works; waiting does not count'),
  idleCalls: z.int().min(1).describe('Calls in a row that repeat an earlier call with the same result'),
});
export type RunBudgets = z.infer<typeof RunBudgets>;

export const RunUsage = z.strictObject({
  steps: z.int().min(0).describe('Answers of the model, or steps that the agent recorded'),
  tokens: z.int().min(0),
  cost: AiDollars,
  witnessed: z.boolean().describe('True if the API saw tokens and cost, false if the agent claims them'),
});
export type RunUsage = z.infer<typeof RunUsage>;

export const WORKER_ROLE_MAX_CHARS = 64;

/** The run and the call for which a worker works. `depth`: 1 for the worker of a run that is not a worker itself. */
export const WorkerOrigin = z.strictObject({
  parent_run_id: z.uuid(),
  call_id: CallId,
  role: z.string(),
  depth: z.int().min(1),
  tools: z
    .array(z.array(z.string()))
    .optional()
    .describe('Lists of tools and classes that it and its parents were given; a tool must be in each'),
});

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
  session_id: z.uuid().nullable().describe('Session whose message the run answers'),
  runtime: z.string().nullable().describe('Runtime of the agent that works on the run, by its name'),
  usage: RunUsage,
  budgets: RunBudgets.nullable().describe('Set by the first start, from the tier of the agent'),
  worker: WorkerOrigin.optional().describe('Only of a worker'),
  safe_mode: SafeMode.optional().describe('Only of a run that changes nothing'),
  unsettled: z.array(CallId).describe('Calls that may have had an effect although no result is known'),
  taint: z
    .array(TaintMark)
    .optional()
    .describe('Text from outside has reached the run: the first of each source. Only of a tainted run'),
  veiled: z
    .literal(true)
    .optional()
    .describe('Only where the reader may not read prompt, summary and texts: a fixed sentence stands for them'),
});
export type Run = z.infer<typeof Run>;

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

export const OFFER_HOURS_MAX = 720;
export const OFFER_HOURS_DEFAULT = 168;
export const OFFER_REASON_MAX_CHARS = 500;

/**
 * `open` holds the money. `paid`: the person accepted the result. `refused`: the person refused it with a reason.
 * `expired`: the person did neither in time. `returned`: the run failed or was cancelled.
 */
export const OFFER_STATES = ['open', 'paid', 'refused', 'expired', 'returned'] as const;
export const OfferState = z.enum(OFFER_STATES);
export type OfferState = z.infer<typeof OfferState>;

export const RunOffer = z.strictObject({
  run_id: z.uuid(),
  agent_id: AgentId,
  amount: AiDollars,
  state: OfferState,
  offered_by: z.strictObject({ role: z.string(), id: z.string() }),
  offered_at: Time,
  expires_at: Time,
  ended_at: Time.nullable(),
  reason: z.string().nullable().describe('Reason of a refusal, in the words of the person'),
});
export type RunOffer = z.infer<typeof RunOffer>;

/** With fewer tokens a worker cannot give one answer. */
export const WORKER_TOKENS_MIN = 1_000;
/** Ended workers that the API keeps for an agent, and those that a list returns. */
export const WORKERS_KEPT = 100;
export const WORKER_ARTIFACTS_MAX = 64;

/** A thing that a worker made: a page of the village, or a file of the workspace. */
export const WorkerArtifact = z.strictObject({
  kind: z.enum(['link', 'file']),
  at: z.string().max(4_096).describe('Address or path'),
  witnessed: z.boolean().describe('True if the API saw it, false if the agent claims it'),
});
export type WorkerArtifact = z.infer<typeof WorkerArtifact>;

/** `code` is a word for programs; `what` says what failed, `fix` what to do. */
export const WorkerError = z.strictObject({ code: z.string(), what: z.string(), fix: z.string() });
export type WorkerError = z.infer<typeof WorkerError>;

export const WorkerEnvelope = z.strictObject({
  summary: z.string().describe('In the words of the worker'),
  artifacts: z.array(WorkerArtifact).max(WORKER_ARTIFACTS_MAX),
  errors: z.array(WorkerError),
});
export type WorkerEnvelope = z.infer<typeof WorkerEnvelope>;

export const Worker = z.strictObject({
  run: Run,
  envelope: WorkerEnvelope.nullable().describe('Null before its end'),
});
export type Worker = z.infer<typeof Worker>;
