import type { Effect } from '../../journal/event.ts';
import type { FailureSignature, StageFailure } from '../plan/failure.ts';
import type { NodeRole } from '../plan/plan.ts';
import type { TelemetryBody, Usage } from './event.ts';

/** `at`: milliseconds since 1970, for display. `monotonicMs`: the working time of the run until then. */
export type Moment = Readonly<{ at: number; monotonicMs: number }>;

type OpenStage = Readonly<{
  began: Moment;
  role: NodeRole | null;
  attempt: number;
  round: number;
  usage: Usage;
}>;

/** `began`: of its last attempt; null before the first. */
export type OpenCall = Readonly<{
  /** The stage that plans the call. The events of the call in the run of a task do not name it. */
  stage: string;
  tool: string;
  effect: Effect | null;
  began: Moment | null;
  attempts: number;
  isPermitted: boolean;
}>;

/** The part of a plan that telemetry shows. */
export type PlanView = ReadonlyMap<string, Readonly<{ role: NodeRole; agent: string | null; decides: boolean }>>;

/** An open run, as far as the events of telemetry need it. */
export type TrackedRun = Readonly<{
  id: string;
  /** The run that it works for; null for the run of a task. */
  parent: string | null;
  task: string;
  workflow: string | null;
  pipeline: string | null;
  plan: PlanView;
  /** The stage of the task that it works for; null for the run of a task, whose events name their stages. */
  stage: string | null;
  agent: string | null;
  conversation: string;
  model: string;
  began: Moment;
  now: Moment;
  usage: Usage;
  stages: ReadonlyMap<string, OpenStage>;
  calls: ReadonlyMap<string, OpenCall>;
  asked: Moment | null;
  /** The last stage failure that no edge handles. */
  failure: FailureSignature | null;
  isEnded: boolean;
}>;

/** The change of a run by an event, and the events of telemetry. `used`: what the run and those that it works for used. */
export type Step = Readonly<{ run: TrackedRun; bodies: readonly TelemetryBody[]; used?: Usage }>;

export const NO_USAGE: Usage = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cost_micros: 0,
  money_micros: 0,
};

/** The sum. Its cost is unknown if a part of it is. */
export const addUsage = (one: Usage, other: Usage): Usage => ({
  prompt_tokens: one.prompt_tokens + other.prompt_tokens,
  completion_tokens: one.completion_tokens + other.completion_tokens,
  total_tokens: one.total_tokens + other.total_tokens,
  cost_micros: one.cost_micros === null || other.cost_micros === null ? null : one.cost_micros + other.cost_micros,
  money_micros: one.money_micros + other.money_micros,
});

/** Adds to the run, and to its stage if the run is that of a task. */
export function charge(run: TrackedRun, stage: string, used: Usage): TrackedRun {
  const open = run.stages.get(stage);
  const stages =
    open === undefined ? run.stages : new Map(run.stages).set(stage, { ...open, usage: addUsage(open.usage, used) });
  return { ...run, stages, usage: addUsage(run.usage, used) };
}

/** The fields of an action that began then and ends now. */
export const since = (
  { now }: TrackedRun,
  began: Moment | null,
): Readonly<{ started_at: number; duration_ms: number }> => ({
  started_at: began?.at ?? now.at,
  duration_ms: now.monotonicMs - (began?.monotonicMs ?? now.monotonicMs),
});

/** The failure with its place. `stage`: null for a failure of the whole task. */
export const signatureOf = (
  run: TrackedRun,
  stage: string | null,
  { category, code }: Pick<StageFailure, 'category' | 'code'>,
): FailureSignature => ({
  taskId: run.task,
  pipelineId: run.pipeline ?? '',
  stageId: stage ?? '',
  nodeType: run.plan.get(stage ?? '')?.role ?? '',
  category,
  code,
});
