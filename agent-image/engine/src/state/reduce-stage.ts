import type { EventOf } from '../journal/event.ts';
import type { FlowStage, FlowState } from './flow-state.ts';
import { illegal, moved, type IllegalMove, type Reduced } from './move.ts';
import { requested } from './reduce-model.ts';
import type { RunState } from './run-state.ts';

export const STAGE_EVENTS = ['stage_opened', 'stage_closed', 'calls_planned'] as const;
type StageEvent = EventOf<(typeof STAGE_EVENTS)[number]>;

/** The state after an event of a stage. A run without a plan has one stage, which opens and closes. */
export function reduceStage(state: RunState, event: StageEvent): Reduced {
  if (state.flow !== null) return reduceFlow(state, state.flow, event);
  if (event.type === 'calls_planned') return illegal('stage_order');
  const [from, to] = event.type === 'stage_opened' ? (['none', 'open'] as const) : (['open', 'closed'] as const);
  return state.stage === from ? moved({ ...state, stage: to }) : illegal('stage_order');
}

function reduceFlow(state: RunState, flow: FlowState, event: StageEvent): Reduced {
  const stage = stageAfter(flow.stages.get(event.stage), flow, event);
  if (typeof stage === 'string') return illegal(stage);
  const ends = flow.ends + Number(event.type === 'stage_closed');
  return moved({ ...state, flow: { stages: new Map(flow.stages).set(event.stage, stage), ends } });
}

function stageAfter(before: FlowStage | undefined, flow: FlowState, event: StageEvent): FlowStage | IllegalMove {
  switch (event.type) {
    case 'stage_opened':
      return opened(before, event);
    case 'calls_planned':
      if (before === undefined || before.closed !== null) return 'stage_order';
      return { ...before, calls: [...before.calls, ...event.calls.map(requested)] };
    case 'stage_closed':
      return closed(before, flow, event);
    default:
      return event satisfies never;
  }
}

/** A stage begins once, again after a failure, and again when a judgement sends it back. */
function opened(before: FlowStage | undefined, { stage, flow }: EventOf<'stage_opened'>): FlowStage | IllegalMove {
  if (flow === undefined || before?.closed === null) return 'stage_order';
  const { role, attempt, round, input, calls } = flow;
  const isNext =
    before === undefined
      ? attempt === 1 && round === 1
      : (attempt === before.attempt + 1 && round === before.round) || (attempt === 1 && round === before.round + 1);
  if (!isNext) return 'would_repeat';
  return { id: stage, role, attempt, round, input, closed: null, place: 0, calls: calls.map(requested) };
}

/** A skipped stage ends without a beginning. */
function closed(
  before: FlowStage | undefined,
  { ends }: FlowState,
  { stage, flow }: EventOf<'stage_closed'>,
): FlowStage | IllegalMove {
  if (flow === undefined) return 'stage_order';
  if (before === undefined) {
    if (flow.end !== 'skipped') return 'stage_order';
    return { id: stage, role: 'linear', attempt: 0, round: 1, input: '', closed: flow, place: ends + 1, calls: [] };
  }
  if (before.closed !== null) return 'stage_order';
  if (flow.end === 'done' && before.calls.some(({ phase }) => phase !== 'settled')) return 'calls_open';
  return { ...before, closed: flow, place: ends + 1 };
}
