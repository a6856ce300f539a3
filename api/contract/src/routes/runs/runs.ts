import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { CallId, Permission, Policy } from '../../values/permission.ts';
import { OutputSchema, RUN_OUTPUT_MAX_CHARS } from '../../values/run/output-schema.ts';
import { RunContext } from '../../values/run/run-context.ts';
import { RunDelta, RunEvent } from '../../values/run/run-event.ts';
import {
  Run,
  RUN_ANSWER_MAX_CHARS,
  RUN_COUNT_MAX,
  RUN_PARK_MAX_MS,
  RUN_PROMPT_MAX_CHARS,
  RUN_REASON_MAX_CHARS,
  RUN_SUMMARY_MAX_CHARS,
  RUN_UNSETTLED_MAX,
  RaisedBudgets,
  RunBudgets,
  RunError,
  RunLane,
  RunState,
  RunStep,
  runText,
  SafeMode,
  SettledState,
  OFFER_HOURS_DEFAULT,
  OFFER_HOURS_MAX,
  RunOffer,
  OFFER_REASON_MAX_CHARS,
  OfferState,
  Worker,
  WORKERS_KEPT,
} from '../../values/run/run.ts';
import { GIVEN_FILES_MAX, RunFile } from '../../values/given-file.ts';
import { AiDollars, Amount } from '../../values/money.ts';
import { AgentId, JsonObject, NEXT_CURSOR, paging, plainText } from '../../values/scalars.ts';
import { SESSION_PEOPLE_MAX, SessionPerson, SessionRepository } from '../../values/session.ts';
import { Mind } from '../../values/mind.ts';
import { ManifestFiles, WorkflowRequest } from '../../values/run/workflow.ts';
import { RunSkill, SKILL_WHY_MAX_CHARS, SkillHash, SkillId, SKILLS_MAX } from '../../capability/skill.ts';

export const RUNS_PAGE_MAX = 100;
export const RUN_EVENTS_PAGE_MAX = 200;
export const RUNS_WAITING_MAX = 100;
/** Maximum number of permissions in the answer to a start or a wait, newest first. */
export const RUN_PERMISSIONS_MAX = 64;

/** Fields of a request about a call of a run, which its agent leases. */
export const LEASED = {
  cycle: z.int().min(0).describe('Run cycle of the agent'),
  attempt: z.int().min(1).describe('Attempt number from the start of the run'),
};

const RunAnswer = json(z.strictObject({ run: Run }));
const reading = { tag: 'runs', permission: 'runs:read' } as const;
const creating = { tag: 'runs', permission: 'run:create' } as const;
export const working = {
  tag: 'runs',
  permission: 'run:work',
  idempotency: 'natural',
  reasons: ['no_such_run', 'not_own_agent', 'stale_cycle', 'run_settled', 'run_not_started', 'claim_lapsed'],
} as const;
const Cycle = z.int().min(0).describe('Run cycle of the agent');
/** Residents of versions without leases omit `attempt`. */
export const RunClaim = z.strictObject({
  cycle: Cycle,
  attempt: z
    .int()
    .min(1)
    .optional()
    .describe('Attempt number from the start of the run; after a lapse, requests of the older attempt are refused'),
});

const Count = z.int().min(0).max(RUN_COUNT_MAX);

export const createRun = defineRoute('createRun POST /agents/{agent_id}/runs', {
  ...creating,
  summary: 'Give an agent a piece of work in words; it starts once the agent is awake and free',
  body: z.strictObject({
    prompt: runText(RUN_PROMPT_MAX_CHARS)
      .trim()
      .min(1)
      .meta({ example: 'Go to the café and tell Bob that the bread is ready.' }),
    safe_mode: SafeMode.optional(),
    continues: z
      .uuid()
      .optional()
      .describe(
        "An ended run of the agent without a session: the agent reads the prompt with this run's task and last report, in its safe mode and with its output schema unless others are given. Members may continue only runs that they created",
      ),
    workflow: WorkflowRequest.optional().describe(
      'Carries out the workflow in `spec.manifests` of the agent instead of answering the prompt, which is then the name of the task for people. Goes with neither `continues` nor `output_schema`',
    ),
    output_schema: OutputSchema.optional().describe(
      'JSON Schema (2020-12) of the answer: the run is done only with an answer that fits. At most 16 KiB and 256 parts, references only to its own `$defs`, no regular expressions',
    ),
    offer: z
      .strictObject({
        amount: Amount.describe('Held until you accept or refuse the result, the run fails, or the offer expires'),
        expires_in_hours: z.int().min(1).max(OFFER_HOURS_MAX).default(OFFER_HOURS_DEFAULT),
      })
      .optional(),
  }),
  status: 201,
  answer: json(z.strictObject({ run: Run, offer: RunOffer.nullable() })),
  reasons: [
    'no_such_agent',
    'agent_barred',
    'no_such_run',
    'run_under_way',
    'run_queue_full',
    'allowance_exceeded',
    'account_closed',
    'village_frozen',
    'output_schema_invalid',
    'no_manifests',
    'manifests_unusable',
  ],
});

export const listRuns = defineRoute('listRuns GET /runs', {
  ...reading,
  summary: 'Runs, newest first; by agent, schedule and state',
  query: z.strictObject({
    agent_id: AgentId.optional(),
    schedule: z.string().min(1).max(253).optional().describe('Name of a Schedule'),
    state: RunState.optional(),
    ...paging({ max: RUNS_PAGE_MAX, cursorChars: 512 }),
  }),
  answer: json(z.strictObject({ runs: z.array(Run), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});

export const getRun = defineRoute('getRun GET /runs/{run_id}', {
  ...reading,
  summary: 'One run, with its offer and output; only its creator, people of its session and admins read its texts',
  answer: json(
    z.strictObject({
      run: Run,
      offer: RunOffer.nullable(),
      output_schema: JsonObject.optional().describe('Only of a run that must answer in this form'),
      output: z.unknown().optional().describe('The answer of a done run with `output_schema`, which it fits'),
      output_json: z
        .string()
        .optional()
        .describe('The same answer as text: its numbers keep all digits, also beyond 2^53'),
    }),
  ),
  reasons: ['no_such_run'],
});

const EVENT_NUMBER_MAX = 1_000_000;
const AfterEvent = z.coerce.number().int().min(0).max(EVENT_NUMBER_MAX).default(0);

export const listRunEvents = defineRoute('listRunEvents GET /runs/{run_id}/events', {
  ...reading,
  summary: 'Events of a run in order: steps, redeliveries, its end',
  query: z.strictObject({
    after: AfterEvent.describe('Number of the last event received'),
    limit: z.coerce.number().int().min(1).max(RUN_EVENTS_PAGE_MAX).default(RUN_EVENTS_PAGE_MAX),
  }),
  answer: json(z.strictObject({ events: z.array(RunEvent) })),
  reasons: ['no_such_run'],
});

export const readRunContext = defineRoute('readRunContext GET /runs/{run_id}/context', {
  ...reading,
  summary: 'The request to which the model gave an answer: each part that it read, with source and tokens',
  query: z.strictObject({ ask: z.coerce.number().int().min(0).max(RUN_COUNT_MAX).describe('Number of the answer') }),
  answer: json(
    z.strictObject({
      context: RunContext.nullable().describe('Null if the journal of the agent has no record of the request'),
    }),
  ),
  reasons: ['no_such_run'],
});

export const streamRun = defineRoute('streamRun GET /runs/{run_id}/stream', {
  ...reading,
  summary:
    'Stream of a run: its events in order, words of the model while they are written, and the run at each change; ends when the run has ended',
  query: z.strictObject({
    after: AfterEvent.describe('Number of the last event received; the header Last-Event-ID counts before it'),
  }),
  answer: { kind: 'sse', events: { run_event: RunEvent, delta: RunDelta, run: Run } },
  reasons: ['no_such_run'],
});

export const cancelRun = defineRoute('cancelRun POST /runs/{run_id}/cancel', {
  ...creating,
  summary: 'Cancel a run: at once while it waits; its agent ends a running one within seconds',
  body: z.strictObject({ reason: runText(RUN_REASON_MAX_CHARS).optional() }),
  answer: RunAnswer,
  reasons: ['no_such_run', 'run_settled'],
});

export const raiseRun = defineRoute('raiseRun PATCH /runs/{run_id}', {
  ...creating,
  summary: 'Raise the limits of a run under way: the gateway applies them at once, the agent with its next heartbeat',
  body: z.strictObject({
    budgets: RaisedBudgets.describe(
      '`refill`: as much as a new run of the agent would have left; otherwise new limits',
    ),
  }),
  answer: RunAnswer,
  reasons: ['no_such_run', 'run_settled', 'run_not_started', 'budget_too_high'],
});

export const nextRun = defineRoute('nextRun GET /agents/{agent_id}/runs/next', {
  tag: 'runs',
  summary: 'The running run of the agent, else its oldest queued one; null if there is none',
  permission: 'agent:self',
  query: z.strictObject({
    lane: RunLane.optional().describe('`message`: only answers to messages; `task`: only other runs; without it, both'),
  }),
  answer: json(z.strictObject({ run: Run.nullable() })),
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle'],
});

const Permissions = z.array(Permission).max(RUN_PERMISSIONS_MAX);
export const RunSession = z.strictObject({
  session_id: z.uuid(),
  people: z.array(SessionPerson).max(SESSION_PEOPLE_MAX),
  repository: SessionRepository.nullable(),
});
export type RunSession = z.infer<typeof RunSession>;

export const startRun = defineRoute('startRun POST /runs/{run_id}/start', {
  ...working,
  summary: 'Start a run in this cycle; one that was started before continues after its recorded steps',
  body: z.strictObject({
    cycle: Cycle,
    runtime: runText(64).optional().describe('Name of the runtime that works on the run'),
    mind: Mind.optional().describe(
      'The runtime with its program, as far as the agent knows it; the event `started` has it',
    ),
  }),
  answer: json(
    z.strictObject({
      run: Run,
      steps: z.array(RunStep),
      permissions: Permissions,
      policy: Policy.nullable().describe('Rules for the calls of the run; null if only the API judges them'),
      budgets: RunBudgets,
      session: RunSession.nullable(),
      repository: SessionRepository.nullable()
        .default(null)
        .describe('Repository in which the run works: that of its session, else that of the Agent'),
      author: z
        .strictObject({ name: z.string(), email: z.string() })
        .nullable()
        .default(null)
        .describe('Author of commits: from the Agent, else the person for whom it works'),
      offer: RunOffer.pick({ amount: true, expires_at: true })
        .nullable()
        .default(null)
        .describe('Open offer of a person for the result'),
      files: z.array(RunFile).max(GIVEN_FILES_MAX).optional().describe('Files of the message; absent without any'),
      output_schema: JsonObject.optional().describe('JSON Schema that the answer must fit; absent without one'),
      manifests: ManifestFiles.optional().describe('Manifests of a run with a workflow'),
    }),
  ),
  reasons: [
    'session_paused',
    'earlier_message_open',

    'no_such_run',
    'not_own_agent',
    'stale_cycle',
    'run_settled',
    'run_waiting',
    'run_parked',
    'too_many_in_flight',
    'village_frozen',
  ],
});

export const waitRun = defineRoute('waitRun POST /runs/{run_id}/wait', {
  ...working,
  summary: 'Let a run wait for its pending permissions without a lease; without a pending one it stays running',
  body: RunClaim,
  answer: json(z.strictObject({ run: Run, permissions: Permissions })),
});

export const parkRun = defineRoute('parkRun POST /runs/{run_id}/park', {
  ...working,
  summary: 'Let a run whose model cannot be reached wait without a lease; one that is to be cancelled stays running',
  body: RunClaim.extend({
    code: runText(64).describe('Code of the failure of the model'),
    wait_ms: z.int().min(1).max(RUN_PARK_MAX_MS).describe('Time until the agent starts it again'),
  }),
  answer: RunAnswer,
});

export const recordRunStep = defineRoute('recordRunStep POST /runs/{run_id}/steps', {
  ...working,
  summary: 'Record a finished step of a run; repeating it has no effect',
  body: RunStep.extend(RunClaim.shape),
  answer: json(z.strictObject({ run: Run, step: RunStep })),
});

export const renewRun = defineRoute('renewRun POST /runs/{run_id}/renew', {
  ...working,
  summary: 'Renew the lease of the agent on a run for another 30 s',
  body: RunClaim.extend({
    mind: Mind.optional().describe(
      'The mind that works on the run, once the agent knows more about it, such as its version',
    ),
  }),
  answer: RunAnswer,
});

export const settleRun = defineRoute('settleRun POST /runs/{run_id}/settle', {
  ...working,
  summary: 'End a run with its result; the first end counts',
  body: z.strictObject({
    ...RunClaim.shape,
    state: SettledState,
    summary: runText(RUN_SUMMARY_MAX_CHARS),
    error: RunError.optional(),
    answer: runText(RUN_ANSWER_MAX_CHARS).optional().describe('Answer to the message of the run'),
    output: runText(RUN_OUTPUT_MAX_CHARS)
      .optional()
      .describe(
        'Answer of a run with an output schema, as JSON. Without one that fits, such a run fails: `output_not_valid`',
      ),
    usage: z
      .strictObject({ steps: Count, tokens: Count, cost: AiDollars })
      .optional()
      .describe('Usage as the agent counted it, shown if the API saw none'),
    unsettled: z.array(CallId).max(RUN_UNSETTLED_MAX).optional().describe('Calls whose end is unknown'),
  }),
  answer: RunAnswer,
  reasons: [...working.reasons, 'cancel_not_requested'],
});

export const listWorkers = defineRoute('listWorkers GET /agents/{agent_id}/workers', {
  tag: 'runs',
  summary: `Workers of an agent, newest first; of the ended ones, the newest ${WORKERS_KEPT} are kept. To cancel a worker, cancel its run; cancelling a run cancels all its workers`,
  permission: 'workers:read',
  query: z.strictObject({
    active: z.enum(['true', 'false']).default('false').describe('Only active workers'),
    run_id: z.uuid().optional().describe('One worker, by its run'),
    parent_run_id: z.uuid().optional().describe('Only workers of this run'),
  }),
  answer: json(z.strictObject({ workers: z.array(Worker) })),
  reasons: ['not_own_agent', 'stale_cycle'],
});

export const pinSkills = defineRoute('pinSkills PUT /runs/{run_id}/skills', {
  ...working,
  summary: 'Fix the skills of a run with their versions; the first request counts for all attempts of the run',
  body: z.strictObject({ ...LEASED, skills: z.array(RunSkill).max(SKILLS_MAX) }),
  answer: json(z.strictObject({ skills: z.array(RunSkill) })),
});

export const loadSkill = defineRoute('loadSkill POST /runs/{run_id}/skills/{skill}/load', {
  ...working,
  summary: 'Record that the model of a run loads a skill, and why; returns the version that the run has',
  params: z.strictObject({ run_id: z.uuid(), skill: SkillId }),
  body: z.strictObject({ ...LEASED, call_id: CallId, why: plainText(SKILL_WHY_MAX_CHARS, 0) }),
  answer: json(z.strictObject({ sha256: SkillHash })),
  reasons: [...working.reasons, 'no_such_skill'],
});

const ending = {
  tag: 'runs',
  permission: 'economy:judge',
  answer: json(z.strictObject({ offer: RunOffer })),
  reasons: ['no_such_run', 'no_such_offer', 'offer_not_yours', 'offer_ended', 'run_under_way', 'village_frozen'],
} as const;

export const listOffers = defineRoute('listOffers GET /offers', {
  tag: 'runs',
  summary: 'Offers for runs, newest first; by agent, run and state',
  permission: 'runs:read',
  query: z.strictObject({
    agent_id: AgentId.optional(),
    run_id: z.uuid().optional(),
    state: OfferState.optional(),
    ...paging(),
  }),
  answer: json(z.strictObject({ offers: z.array(RunOffer), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});

export const acceptOffer = defineRoute('acceptOffer POST /runs/{run_id}/offer/accept', {
  ...ending,
  summary: 'Accept the result of a run and pay its agent the offered amount',
  reasons: [...ending.reasons, 'account_closed'],
});

export const refuseOffer = defineRoute('refuseOffer POST /runs/{run_id}/offer/refuse', {
  ...ending,
  summary: 'Refuse the result of a run with a reason; the held money is free again',
  body: z.strictObject({ reason: plainText(OFFER_REASON_MAX_CHARS).trim().min(1) }),
});
