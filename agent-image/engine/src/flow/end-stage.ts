import type { EventBody } from '../journal/event.ts';
import type { Journal, Payload } from '../journal/journal.ts';
import type { Session } from '../loop/session.ts';
import type { Scope } from '../workflow/expression/place.ts';
import { edgesAfter } from '../workflow/route/edges-after.ts';
import type { StageFailure } from '../workflow/plan/failure.ts';
import type { PlanStage } from '../workflow/plan/plan.ts';
import { NO_FLOW } from '../state/flow-state.ts';
import { isRetried } from './decision/is-retried.ts';
import { memoryOf } from './flow-memory.ts';
import { fallbackEdge } from './decision/plan-index.ts';
import { scopeOf } from './stage-scope.ts';

/** How a stage ended: with an output, with a judgement that sends the judged stage back, or with a failure. */
export type StageEnd =
  | Readonly<{ output: unknown }>
  | Readonly<{ again: unknown }>
  | Readonly<{ failure: StageFailure }>;

/** A write of the journal about a stage. */
export type StageWrite = Readonly<{ event: EventBody; payloads: readonly Payload[]; failure: StageFailure | null }>;

type Ended = Readonly<{ stage: PlanStage; attempt: number; round: number; input: unknown; end: StageEnd }>;
type Ports = Readonly<{ session: Session; journal: Pick<Journal, 'refer'> }>;

/** The end of a stage with the edges that the task follows from it. */
export function closingOf(ports: Ports, ended: Ended): StageWrite {
  if ('failure' in ended.end) return failedOf(ports, ended, ended.end.failure);
  const { session, journal } = ports;
  const { stage, input, end } = ended;
  const output = ('again' in end ? end.again : end.output) ?? null;
  const text = journal.refer(JSON.stringify(output));
  memoryOf(session).values.set(text.ref, output);
  if ('again' in end) return closed(stage, [text], { end: 'again', output: text.ref, failure: null, edges: [] });
  const scope = (): Scope => scopeOf(session, input);
  const taken = edgesAfter(memoryOf(session).index.plan, stage.id, { kind: 'done', output, scope });
  if (!taken.ok) return failedOf(ports, ended, taken.failure);
  return closed(stage, [text], { end: 'done', output: text.ref, failure: null, edges: [...taken.edges] });
}

function failedOf({ session, journal }: Ports, { stage, attempt }: Ended, failure: StageFailure): StageWrite {
  const message = journal.refer(JSON.stringify(failure.message));
  const { category, code } = failure;
  const edges = isRetried(stage, attempt, failure) ? [] : [...edgesOfFailure(session, stage, failure)];
  const flow = { end: 'failed' as const, output: null, failure: { category, code, message: message.ref }, edges };
  return { ...closed(stage, [message], flow), failure };
}

function edgesOfFailure(session: Session, stage: PlanStage, failure: StageFailure): readonly string[] {
  // A stage that begins for another failure cannot take this one too.
  const { ruled } = memoryOf(session).index;
  const { stages } = session.state.flow ?? NO_FLOW;
  const ended = new Set([...stages.values()].flatMap((each) => each.closed?.edges ?? []));
  const closed = new Set([...stages.keys(), ...[...ruled].filter((to) => ended.has(fallbackEdge(to)))]);
  const taken = edgesAfter(memoryOf(session).index.plan, stage.id, { kind: 'failed', failure, closed });
  return taken.ok ? taken.edges : [];
}

type Flow = NonNullable<Extract<EventBody, { type: 'stage_closed' }>['flow']>;

const closed = ({ id }: PlanStage, payloads: readonly Payload[], flow: Flow): StageWrite => ({
  event: { type: 'stage_closed', stage: id, flow },
  payloads,
  failure: null,
});
