import { z } from 'zod';
import { Mind } from '../mind.ts';
import { MAX_PROSE_CHARS } from '../../kinds/text.ts';
import { AiDollars } from '../money.ts';
import { CallId } from '../permission.ts';
import { AgentId, plainText, Time } from '../scalars.ts';
import { TaintMark } from '../taint.ts';
import { RunWorkflow, WorkerStage } from './workflow.ts';

/** The same limit as for the prompt of a Schedule. */
export const RUN_PROMPT_MAX_CHARS = MAX_PROSE_CHARS;
export const RUN_SUMMARY_MAX_CHARS = 4_000;
export const RUN_REASON_MAX_CHARS = 500;
/** Maximum number of a recorded step; the budget of a run allows fewer. */
export const RUN_STEPS_MAX = 1_000;
export const RUN_UNSETTLED_MAX = 64;
export const RUN_ANSWER_MAX_CHARS = 65_536;

export const runText = (max: number): z.ZodString => plainText(max);

/** A lease ends this long after the start or the last renewal; then the run waits for an agent again. */
export const RUN_LEASE_S = 30;
/** Interval of renewals in seconds: losing one does not end the lease. */
export const RUN_RENEW_EVERY_S = 10;

/** `message`: a person's message in a session. `worker`: work that another run of the agent delegated. */
export const RunKind = z.enum(['schedule', 'prompt', 'message', 'worker']);
export type RunKind = z.infer<typeof RunKind>;

/**
 * Modes of a run that changes nothing. `analysis_only`: calls that would change something are denied. `dry_run`: they are denied too, but
 * the model continues as if they had succeeded and reports them in its answer. Workers inherit the mode.
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

/** `code` is for programs, `message` for people. */
export const RunError = z.strictObject({ code: runText(64), message: runText(RUN_REASON_MAX_CHARS) });
export type RunError = z.infer<typeof RunError>;

/** Limits of a run including its workers. */
export const RunBudgets = z.strictObject({
  steps: z.int().min(1).describe('Answers of the model'),
  tokens: z.int().min(1),
  money: AiDollars,
  timeMs: z.int().min(1).describe('Time in which the agent works; waiting does not count'),
  idleCalls: z.int().min(1).describe('Calls in a row that repeat an earlier call with the same result'),
});
export type RunBudgets = z.infer<typeof RunBudgets>;

/**
 * New limits of a run: each given limit only grows. `refill` raises each so far that the run and its workers have left what a
 * new run of the agent would have, which is also the most that a limit may be raised to.
 */
export const RaisedBudgets = z.union([
  z.literal('refill'),
  RunBudgets.pick({ steps: true, tokens: true, money: true, timeMs: true }).partial(),
]);
export type RaisedBudgets = z.infer<typeof RaisedBudgets>;

/** Money budget of a run whose tokens cost nothing, because a budget is above zero. */
export const FREE_RUN_MONEY = '0.000001';

/** The limits that a run may reach, in the order in which equal shares are named. */
export const RUN_LIMITS = ['steps', 'tokens', 'money', 'time'] as const;

/** From this share of a limit on, people are warned. */
export const WARN_SHARE = 0.8;

/** Codes of runs that ended at a limit of their own, so that another run can continue their work. */
export const LIMIT_CODES: readonly string[] = [
  ...RUN_LIMITS.map((limit) => `budget_${limit}`),
  'no_progress',
  'time_limit',
];

export const RunSpent = z.strictObject({
  steps: z.int().min(0),
  tokens: z.int().min(0),
  money: AiDollars,
  timeMs: z.int().min(0).describe('Time of work until `since`'),
  since: Time.nullable().describe('Time from which the agent works on it now; null while it does not'),
});
export type RunSpent = z.infer<typeof RunSpent>;

/** Limits of a run, and its use of them. */
export const RunBudgetsUsed = RunBudgets.extend({
  spent: RunSpent.optional().describe('Use of the run itself; workers in progress also hold a share'),
  first: z.enum(RUN_LIMITS).optional().describe('The limit of which the run has used the greatest share'),
});
export type RunBudgetsUsed = z.infer<typeof RunBudgetsUsed>;

export const RunUsage = z.strictObject({
  steps: z.int().min(0).describe("Number of the model's answers or of the steps that the agent recorded"),
  tokens: z.int().min(0),
  cost: AiDollars,
  witnessed: z.boolean().describe('True if the API saw tokens and cost, false if the agent claims them'),
});
export type RunUsage = z.infer<typeof RunUsage>;

export const WORKER_ROLE_MAX_CHARS = 64;

/** The run and the call that delegated to a worker. `depth`: 1 for a worker of a run that is not a worker. */
export const WorkerOrigin = z.strictObject({
  parent_run_id: z.uuid(),
  call_id: CallId,
  role: z.string(),
  depth: z.int().min(1),
  tools: z
    .array(z.array(z.string()))
    .optional()
    .describe('Lists of tools and classes of the worker and its parents; a tool must be in each'),
  stage: WorkerStage.optional().describe('Only of a worker that works for a stage of a workflow'),
});

/** A run. Its prompt is only text: a part that looks like a tool call is never executed. */
export const Run = z.strictObject({
  run_id: z.uuid(),
  agent_id: AgentId,
  kind: RunKind,
  state: RunState,
  prompt: z.string(),
  created_at: Time,
  created_by: z.strictObject({
    role: z.string(),
    id: z.string(),
    name: z.string().optional().describe('Name of the account; absent for keys, schedules and accounts that are gone'),
  }),
  schedule: z.strictObject({ name: z.string(), uid: z.string(), slot: Time }).nullable(),
  attempt: z.int().min(0).describe("Number of starts of the run; 0 before the first. It identifies the agent's lease"),
  cycle: z.int().min(0).nullable().describe('Run cycle of the agent that works on it'),
  started_at: Time.nullable(),
  ended_at: Time.nullable(),
  summary: z.string().nullable().describe("Result in the agent's words"),
  error: RunError.nullable(),
  cancel_requested_at: Time.nullable(),
  session_id: z.uuid().nullable().describe('Session of the message that the run answers'),
  runtime: z.string().nullable().describe('Runtime of the agent that works on the run, by its name'),
  mind: Mind.optional().describe(
    'The runtime with its program, as the agent named it last; absent before the first start, and if an older agent started it',
  ),
  usage: RunUsage,
  parked: z
    .strictObject({ until: Time, code: runText(64) })
    .nullable()
    .optional()
    .describe('Set while a queued run waits for its model: the agent starts it again at this time. `code`: why'),
  budgets: RunBudgetsUsed.nullable().describe("Set at the first start from the agent's tier"),
  worker: WorkerOrigin.optional().describe('Only of a worker'),
  workflow: RunWorkflow.optional().describe(
    'Only of a run that carries out the workflow of its agent; lists leave out its input and its overrides',
  ),
  safe_mode: SafeMode.optional().describe('Only for a run that changes nothing'),
  unsettled: z.array(CallId).describe('Calls that may have had an effect although their result is unknown'),
  taint: z
    .array(TaintMark)
    .optional()
    .describe('For each source, the first outside text that reached the run. Only for a tainted run'),
  veiled: z
    .literal(true)
    .optional()
    .describe('Present if the reader may not read prompt, summary and texts: a fixed sentence replaces them'),
});
export type Run = z.infer<typeof Run>;

/** Maximum wait of a parked run: a day. */
export const RUN_PARK_MAX_MS = 86_400_000;

/** A recorded step of a run, which is never repeated. */
export const RunStep = z.strictObject({
  step: z
    .int()
    .min(0)
    .max(RUN_STEPS_MAX - 1),
  outcome: z.enum(['done', 'failed']),
  text: runText(RUN_REASON_MAX_CHARS).describe("Finished work in the agent's words"),
});
export type RunStep = z.infer<typeof RunStep>;

/** Hint to a resident that a run waits for it or has changed. */
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

/** Maximum steps and tokens that a run reports at its end. */
export const RUN_COUNT_MAX = 1_000_000_000;
/** Minimum tokens of a worker: enough for one answer. */
export const WORKER_TOKENS_MIN = 1_000;
/** Maximum number of active workers of one run. */
export const WORKER_WIDTH_MAX = 4;
/** Number of ended workers that the API keeps for an agent, and of workers in a list. */
export const WORKERS_KEPT = 100;
export const WORKER_ARTIFACTS_MAX = 64;

/** Something that a worker made: a page of the village or a file in the workspace. */
export const WorkerArtifact = z.strictObject({
  kind: z.enum(['link', 'file']),
  at: z.string().max(4_096).describe('Address or path'),
  witnessed: z.boolean().describe('True if the API saw it, false if the agent claims it'),
});
export type WorkerArtifact = z.infer<typeof WorkerArtifact>;

/** `code` is for programs; `what` says what failed, `fix` what to do. */
export const WorkerError = z.strictObject({ code: z.string(), what: z.string(), fix: z.string() });
export type WorkerError = z.infer<typeof WorkerError>;

export const WorkerEnvelope = z.strictObject({
  summary: z.string().describe("In the worker's words"),
  artifacts: z.array(WorkerArtifact).max(WORKER_ARTIFACTS_MAX),
  errors: z.array(WorkerError),
});
export type WorkerEnvelope = z.infer<typeof WorkerEnvelope>;

export const Worker = z.strictObject({
  run: Run,
  envelope: WorkerEnvelope.nullable().describe('Null before its end'),
});
export type Worker = z.infer<typeof Worker>;
