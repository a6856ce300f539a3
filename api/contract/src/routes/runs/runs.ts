import { z } from 'zod';
import { defineRoute } from '../../route.ts';
import {
  Run,
  RunError,
  RunEvent,
  RunState,
  RunStep,
  RUN_PROMPT_MAX_CHARS,
  RUN_REASON_MAX_CHARS,
  RUN_SUMMARY_MAX_CHARS,
  runText,
  SettledState,
} from '../../run.ts';
import { AgentId, AgentParams } from '../scalars.ts';

export const RUNS_PAGE_MAX = 100;
export const RUN_EVENTS_PAGE_MAX = 200;
/** Runs that wait for one agent at a time. */
export const RUNS_WAITING_MAX = 100;

const RunParams = z.strictObject({ run_id: z.uuid() });
const RunAnswer = { kind: 'json', schema: z.strictObject({ run: Run }) } as const;
const ofRuns = { tag: 'runs', placement: 'versioned_and_bare', audiences: ['people', 'agents'] } as const;
const ofResidents = {
  ...ofRuns,
  params: RunParams,
  method: 'POST',
  permission: 'run:work',
  idempotency: 'natural',
} as const;
const Cycle = z.int().min(0).meta({ description: 'The run cycle of the agent that asks' });
/** The claim of the agent that asks. A resident that is older than claims leaves `attempt` out. */
const Claim = z.strictObject({
  cycle: Cycle,
  attempt: z.int().min(1).optional().meta({
    description:
      'The attempt that the start of the run answered: after a lapse the run is another attempt, and the older one is refused',
  }),
});

export const createRun = defineRoute({
  ...ofRuns,
  name: 'createRun',
  summary: 'Give an agent a piece of work in words; it takes it up as soon as it is awake and free',
  method: 'POST',
  path: '/agents/{agent_id}/runs',
  permission: 'run:create',
  idempotency: 'key',
  params: AgentParams,
  body: z.strictObject({
    prompt: runText(RUN_PROMPT_MAX_CHARS)
      .trim()
      .min(1)
      .meta({ example: 'Go to the café and tell Bob that the bread is ready.' }),
  }),
  status: 201,
  answer: RunAnswer,
  reasons: ['no_such_agent', 'agent_barred', 'run_queue_full'],
});

export const listRuns = defineRoute({
  ...ofRuns,
  name: 'listRuns',
  summary: 'Runs, newest first, of an agent, of a schedule, in a state',
  method: 'GET',
  path: '/runs',
  permission: 'runs:read',
  idempotency: 'read',
  query: z.strictObject({
    agent_id: AgentId.optional(),
    schedule: z.string().min(1).max(253).optional().meta({ description: 'The name of a Schedule' }),
    state: RunState.optional(),
    cursor: z.string().max(512).optional(),
    limit: z.coerce.number().int().min(1).max(RUNS_PAGE_MAX).default(20),
  }),
  answer: { kind: 'json', schema: z.strictObject({ runs: z.array(Run), next_cursor: z.string().nullable() }) },
  reasons: ['cursor_invalid'],
});

export const getRun = defineRoute({
  ...ofRuns,
  name: 'getRun',
  summary: 'One run',
  method: 'GET',
  path: '/runs/{run_id}',
  permission: 'runs:read',
  idempotency: 'read',
  params: RunParams,
  answer: RunAnswer,
  reasons: ['no_such_run'],
});

/** More than any run can have. */
const EVENT_NUMBER_MAX = 1_000_000;

export const listRunEvents = defineRoute({
  ...ofRuns,
  name: 'listRunEvents',
  summary: 'What happened to a run, in order: steps, redeliveries, its end',
  method: 'GET',
  path: '/runs/{run_id}/events',
  permission: 'runs:read',
  idempotency: 'read',
  params: RunParams,
  query: z.strictObject({
    after: z.coerce
      .number()
      .int()
      .min(0)
      .max(EVENT_NUMBER_MAX)
      .default(0)
      .meta({ description: 'The number of the last event seen' }),
    limit: z.coerce.number().int().min(1).max(RUN_EVENTS_PAGE_MAX).default(RUN_EVENTS_PAGE_MAX),
  }),
  answer: { kind: 'json', schema: z.strictObject({ events: z.array(RunEvent) }) },
  reasons: ['no_such_run'],
});

export const cancelRun = defineRoute({
  ...ofRuns,
  name: 'cancelRun',
  summary: 'End a run: at once while it waits; a running one is ended by its agent within seconds',
  method: 'POST',
  path: '/runs/{run_id}/cancel',
  permission: 'run:create',
  idempotency: 'key',
  params: RunParams,
  body: z.strictObject({ reason: runText(RUN_REASON_MAX_CHARS).optional() }),
  answer: RunAnswer,
  reasons: ['no_such_run', 'run_settled'],
});

export const nextRun = defineRoute({
  ...ofRuns,
  name: 'nextRun',
  summary:
    "The agent's run to work on now: the one under way, else the one that waits longest; null where there is none",
  method: 'GET',
  path: '/agents/{agent_id}/runs/next',
  permission: 'agent:self',
  idempotency: 'read',
  params: AgentParams,
  answer: { kind: 'json', schema: z.strictObject({ run: Run.nullable() }) },
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle'],
});

export const startRun = defineRoute({
  ...ofResidents,
  name: 'startRun',
  summary: 'Take a run up in this cycle; one that an earlier cycle left goes on behind the steps it noted',
  path: '/runs/{run_id}/start',
  body: z.strictObject({ cycle: Cycle }),
  answer: { kind: 'json', schema: z.strictObject({ run: Run, steps: z.array(RunStep) }) },
  reasons: ['no_such_run', 'not_own_agent', 'stale_cycle', 'run_settled', 'too_many_in_flight', 'village_frozen'],
});

export const recordRunStep = defineRoute({
  ...ofResidents,
  name: 'recordRunStep',
  summary: 'Note that a step of a run is behind the agent; noting it again changes nothing',
  path: '/runs/{run_id}/steps',
  body: RunStep.extend(Claim.shape),
  answer: { kind: 'json', schema: z.strictObject({ run: Run, step: RunStep }) },
  reasons: ['no_such_run', 'not_own_agent', 'stale_cycle', 'run_settled', 'run_not_started', 'claim_lapsed'],
});

export const renewRun = defineRoute({
  ...ofResidents,
  name: 'renewRun',
  summary: 'Say that the agent still works on a run: its claim holds for another 30 s',
  path: '/runs/{run_id}/renew',
  body: Claim,
  answer: RunAnswer,
  reasons: ['no_such_run', 'not_own_agent', 'stale_cycle', 'run_settled', 'run_not_started', 'claim_lapsed'],
});

export const settleRun = defineRoute({
  ...ofResidents,
  name: 'settleRun',
  summary: 'End a run with what came of it; the first end counts',
  path: '/runs/{run_id}/settle',
  body: z.strictObject({
    ...Claim.shape,
    state: SettledState,
    summary: runText(RUN_SUMMARY_MAX_CHARS),
    error: RunError.optional(),
  }),
  answer: RunAnswer,
  reasons: [
    'no_such_run',
    'not_own_agent',
    'stale_cycle',
    'run_settled',
    'run_not_started',
    'claim_lapsed',
    'cancel_not_requested',
  ],
});
