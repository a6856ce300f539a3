import { z } from 'zod';
import type { EventOf } from '../../journal/event.ts';
import type { FailureSignature } from '../plan/failure.ts';
import { NODE_ROLES } from '../plan/plan.ts';
import { failureOf } from '../route/failure-of.ts';
import type { TelemetryBody } from './event.ts';
import { messageOf } from './message.ts';
import { payloadOf, payloadOfValue } from './payload.ts';
import { NO_USAGE, signatureOf, since, type Moment, type PlanView, type Step, type TrackedRun } from './tracked-run.ts';

type TextOf = (ref: string) => string | null;

/** Largest record of a task whose input an event may show, in characters. */
const MAX_SHOWN_CHARS = 1_000_000;

const TaskRecord = z.object({
  id: z.string(),
  input: z.unknown(),
  mode: z.string().nullable().default(null),
  tags: z.array(z.string()).default([]),
  routing: z.array(z.unknown()).default([]),
});
type TaskRecord = z.infer<typeof TaskRecord>;

const StagesOfPlan = z.object({
  stages: z.array(
    z.object({ id: z.string(), role: z.enum(NODE_ROLES), agent: z.string().nullable(), decides: z.boolean() }),
  ),
});

const NO_PLAN: PlanView = new Map();

/** The value of a text that the engine wrote; null if it was deleted. */
function parsed<T>(schema: z.ZodType<T>, text: string | null): T | null {
  try {
    return schema.safeParse(JSON.parse(text ?? '')).data ?? null;
  } catch {
    return null;
  }
}

/** A run begins: one that works for `parent`, or that of a task. */
export function runOpened(event: EventOf<'run_opened'>, parent: TrackedRun | null, textOf: TextOf): Step {
  const own = beginning(event);
  if (parent !== null) return { run: { ...inherited(parent, event), ...own }, bodies: [] };
  return event.flow === undefined
    ? plainOpened(event, own, textOf)
    : flowOpened({ ...event, flow: event.flow }, own, textOf);
}

function beginning({ run, conversation, model, at, elapsedMs }: EventOf<'run_opened'>) {
  const now: Moment = { at, monotonicMs: elapsedMs };
  const empty = { usage: NO_USAGE, stages: new Map(), calls: new Map(), asked: null, failure: null, isEnded: false };
  return { id: run, conversation, model, began: now, now, ...empty };
}
type Beginning = ReturnType<typeof beginning>;

const OF_A_TASK = { parent: null, stage: null, agent: null } as const;

/** A run without a plan is a task of its own. */
function plainOpened(event: EventOf<'run_opened'>, own: Beginning, textOf: TextOf): Step {
  const run = { ...own, ...OF_A_TASK, task: event.run, workflow: null, pipeline: null, plan: NO_PLAN };
  return { run, bodies: [created(run, null, payloadOf(textOf(event.input)))] };
}

type FlowOpened = EventOf<'run_opened'> & Readonly<{ flow: { workflow: string; pipeline: string; task: string } }>;

function flowOpened({ run: id, plan, flow }: FlowOpened, own: Beginning, textOf: TextOf): Step {
  const text = textOf(flow.task);
  const record = parsed(TaskRecord, text);
  const { workflow, pipeline } = flow;
  const run = { ...own, ...OF_A_TASK, task: record?.id ?? id, workflow, pipeline, plan: planView(textOf(plan)) };
  // The text of a large input would be written only to be left out.
  const isLarge = text === null || text.length > MAX_SHOWN_CHARS;
  const input = isLarge ? payloadOf(text) : payloadOfValue(record?.input);
  return { run, bodies: [created(run, record, input), ...(record?.routing ?? []).map(choiceOfPipeline)] };
}

/** The workers of an agent work for its stage too. A run of an agent names its stage, or the call that asked for it. */
function inherited(parent: TrackedRun, { parent: by }: EventOf<'run_opened'>) {
  const stage = parent.stage ?? stageBy(parent, by?.call ?? '');
  const { task, workflow, pipeline, plan } = parent;
  const agent = parent.agent ?? plan.get(stage ?? '')?.agent ?? null;
  return { parent: parent.id, task, workflow, pipeline, plan, stage, agent };
}

const stageBy = ({ plan, calls }: TrackedRun, call: string): string | null =>
  plan.has(call) ? call : (calls.get(call)?.stage ?? null);

function planView(text: string | null): PlanView {
  const stages = parsed(StagesOfPlan, text)?.stages ?? [];
  return new Map(stages.map(({ id, role, agent, decides }) => [id, { role, agent, decides }]));
}

const created = (run: TrackedRun, record: TaskRecord | null, input: TaskInput): TelemetryBody => ({
  type: 'task_created',
  workflow: run.workflow,
  pipeline: run.pipeline,
  mode: record?.mode ?? null,
  tags: [...(record?.tags ?? [])],
  input,
  stage: null,
});
type TaskInput = Extract<TelemetryBody, { type: 'task_created' }>['input'];

const choiceOfPipeline = (choice: unknown): TelemetryBody => ({
  type: 'routing_decision',
  kind: 'pipeline',
  choice: payloadOfValue(choice),
  stage: null,
});

const STATUS = { done: 'completed', failed: 'failed', cancelled: 'cancelled' } as const;

/** A run ends: the call of an agent, or the task. */
export function runClosed(run: TrackedRun, { outcome }: EventOf<'run_closed'>): Step {
  const code = outcome.kind === 'failed' ? outcome.code : null;
  const { model, conversation, usage, workflow, pipeline } = run;
  const ended = since(run, run.began);
  if (run.parent !== null)
    return {
      run,
      bodies: [{ type: 'agent_called', ...ended, model, conversation, outcome: outcome.kind, code, usage }],
    };
  const failure = code === null ? null : failureOfTask(run, code);
  const error: TelemetryBody[] =
    failure === null ? [] : [{ type: 'error', where: 'task', failure, message: '', stage: null }];
  const status = STATUS[outcome.kind];
  return {
    run,
    bodies: [...error, { type: 'task_finished', ...ended, workflow, pipeline, status, failure, usage, stage: null }],
  };
}

const failureOfTask = (run: TrackedRun, code: string) =>
  run.failure?.code === code ? run.failure : signatureOf(run, null, { category: failureOf(code, 'run'), code });

const PLAIN_BEGIN = { role: null, attempt: 1, round: 1, input: null, calls: [] };
const PLAIN_END = { end: 'done', output: null, failure: null, edges: [] } as const;

/** A text of the journal that an event may lack. */
const shown = (ref: string | null, textOf: TextOf): TaskInput => (ref === null ? null : payloadOf(textOf(ref)));

/** Only the stages of the task are stages of telemetry; each agent has one of its own in the journal. */
export function stageOpened(run: TrackedRun, event: EventOf<'stage_opened'>, textOf: TextOf): Step {
  if (run.parent !== null) return { run, bodies: [] };
  const { role, attempt, round, input, calls } = event.flow ?? PLAIN_BEGIN;
  const stage = { began: run.now, role, attempt, round, usage: NO_USAGE };
  return {
    run: callsKnown({ ...run, stages: new Map(run.stages).set(event.stage, stage) }, { calls, stage: event.stage }),
    bodies: [{ type: 'stage_started', role, attempt, round, input: shown(input, textOf) }],
  };
}

type PlannedCalls = Pick<EventOf<'calls_planned'>, 'calls' | 'stage'>;

/** Notes calls before they begin. */
export function callsKnown(run: TrackedRun, { calls, stage }: PlannedCalls): TrackedRun {
  if (calls.length === 0) return run;
  const known = new Map(run.calls);
  for (const { id, tool, effect } of calls)
    known.set(id, { stage, tool, effect, began: null, attempts: 0, isPermitted: false });
  return { ...run, calls: known };
}

export function stageClosed(run: TrackedRun, event: EventOf<'stage_closed'>, textOf: TextOf): Step {
  if (run.parent !== null) return { run, bodies: [] };
  const { stage } = event;
  const { end, output, failure: why, edges } = event.flow ?? PLAIN_END;
  // A stage that is skipped was never open.
  const open = run.stages.get(stage) ?? {
    ...PLAIN_BEGIN,
    role: run.plan.get(stage)?.role ?? null,
    began: null,
    usage: NO_USAGE,
  };
  const failure = why === null ? null : signatureOf(run, stage, why);
  const stages = new Map(run.stages);
  stages.delete(stage);
  const { role, attempt, round, usage, began } = open;
  const place = { role, attempt, round };
  const finished: TelemetryBody = {
    type: 'stage_finished',
    ...since(run, began),
    ...place,
    end,
    output: shown(output, textOf),
    failure,
    usage,
  };
  return {
    run: { ...run, stages, failure: failure !== null && edges.length === 0 ? failure : run.failure },
    bodies: [...errorOf(failure, why, textOf), finished, ...choiceOfEdges(run, stage, { end, edges })],
  };
}

type StageFailed = NonNullable<NonNullable<EventOf<'stage_closed'>['flow']>['failure']>;

function errorOf(failure: FailureSignature | null, why: StageFailed | null, textOf: TextOf): readonly TelemetryBody[] {
  if (failure === null || why === null) return [];
  const words = payloadOf(textOf(why.message));
  return [{ type: 'error', where: 'stage', failure, message: messageOf(typeof words === 'string' ? words : null) }];
}

type Left = Readonly<{ end: string; edges: readonly string[] }>;

const choiceOfEdges = (run: TrackedRun, stage: string, { end, edges }: Left): readonly TelemetryBody[] =>
  edges.length > 0 && isDecision(run, stage, end)
    ? [{ type: 'routing_decision', kind: 'edges', choice: [...edges] }]
    : [];

/** A stage without a choice takes all its edges, which the plan says already. */
const isDecision = ({ plan }: TrackedRun, stage: string, end: string): boolean =>
  end === 'failed' || plan.get(stage)?.decides === true;
