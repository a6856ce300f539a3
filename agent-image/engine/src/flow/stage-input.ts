import type { Session } from '../loop/session.ts';
import type { FlowStage } from '../state/flow-state.ts';
import { fillTemplate } from '../workflow/expression/fill-template.ts';
import type { StageFailure } from '../workflow/plan/failure.ts';
import type { PlanStage } from '../workflow/plan/plan.ts';
import type { Arrival } from '../workflow/route/merge-outputs.ts';
import { memoryOf, valueOf } from './flow-memory.ts';
import { scopeOf } from './stage-scope.ts';

export type StageInput =
  | Readonly<{ ok: true; value: unknown; arrivals: readonly Arrival[] }>
  | Readonly<{ ok: false; failure: StageFailure; value: unknown }>;

type Begin = Readonly<{ stage: PlanStage; attempt: number; round: number; sources: readonly string[] }>;

/** The input of a stage that begins. A failed one still has the value that reached the stage. */
export function inputOf(session: Session, begin: Begin): StageInput {
  const { stage, attempt, round } = begin;
  const before = session.state.flow?.stages.get(stage.id);
  if (before === undefined) return firstInput(session, begin);
  // Another attempt works on the same input.
  if (attempt > 1) return { ok: true, value: valueOf(session, before.input), arrivals: [] };
  if (round > 1) return filled(session, stage, { value: nextRound(session, stage, before), arrivals: [] });
  return firstInput(session, begin);
}

function firstInput(session: Session, { stage, sources }: Begin): StageInput {
  const { rerun, task } = memoryOf(session);
  if (rerun?.stage === stage.id && rerun.input !== undefined) return { ok: true, value: rerun.input, arrivals: [] };
  const arrivals = sources.map((source) => arrivalFrom(session, source, stage.id));
  if (stage.role === 'merge') return { ok: true, value: bySource(arrivals), arrivals };
  if (arrivals.length > 1) {
    const message = `${stage.id} got the outputs of ${sources.join(', ')}. Join them in a merge before it.`;
    return { ok: false, failure: { category: 'routing', code: 'several_inputs', message }, value: bySource(arrivals) };
  }
  const [only] = arrivals;
  return filled(session, stage, { value: only === undefined ? task.input : only.value, arrivals });
}

const bySource = (arrivals: readonly Arrival[]): unknown =>
  Object.fromEntries(arrivals.map(({ source, value }) => [source, value]));

/** A judged stage gets the judgement and what it was about; the judge gets the new output. */
function nextRound(session: Session, stage: PlanStage, before: FlowStage): unknown {
  const { index, rerun } = memoryOf(session);
  const stages = session.state.flow?.stages;
  const reviews = stage.feedback?.reviews;
  if (reviews !== undefined) return outputOf(session, stages?.get(reviews));
  const judge = stages?.get(index.judges.get(stage.id) ?? '');
  const given = valueOf(session, before.input);
  // A task that repeats another one counts the rounds of the stages that it took over from round 1 on.
  const input = (before.round > 1 || rerun !== null) && isRound(given) ? given.input : given;
  return { input, previous: outputOf(session, before), feedback: outputOf(session, judge) };
}

const isRound = (value: unknown): value is Readonly<{ input: unknown }> =>
  typeof value === 'object' && value !== null && Object.keys(value).join() === 'input,previous,feedback';

/** The output of a stage that has ended; null without one. */
export const outputOf = (session: Session, stage: FlowStage | undefined): unknown =>
  stage?.closed?.output ? valueOf(session, stage.closed.output) : null;

function filled(
  session: Session,
  { id, input: template }: PlanStage,
  given: Omit<Extract<StageInput, { ok: true }>, 'ok'>,
): StageInput {
  if (template === null) return { ok: true, ...given };
  const made = fillTemplate(template, scopeOf(session, given.value));
  return made.ok
    ? { ok: true, ...given, value: made.value }
    : {
        ok: false,
        failure: { category: 'config', code: 'expression_failed', message: `The input of ${id}: ${made.message}` },
        value: given.value,
      };
}

const arrivalFrom = (session: Session, source: string, target: string): Arrival => {
  const stage = session.state.flow?.stages.get(source);
  const value = stage === undefined ? null : broughtBy(session, stage, target);
  return { source, value, arrived: stage?.place ?? 0 };
};

/** An error edge brings the failure with the input of the failed stage, a fallback that input alone. */
function broughtBy(session: Session, stage: FlowStage, target: string): unknown {
  const { closed } = stage;
  if (closed?.end !== 'failed') return outputOf(session, stage);
  const input = valueOf(session, stage.input);
  const edge = memoryOf(session)
    .index.inbound.get(target)
    ?.find(({ id }) => closed.edges.includes(id));
  if (edge?.type !== 'error' || closed.failure === null) return input;
  const { category, code, message } = closed.failure;
  return { failure: { stage: stage.id, category, code, message: valueOf(session, message) }, input };
}
