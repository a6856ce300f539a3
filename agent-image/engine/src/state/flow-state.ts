import type { EventOf } from '../journal/event.ts';
import { isBegun, type CallState } from './call-state.ts';
import type { IllegalMove } from './move.ts';

export type StageFlow = NonNullable<EventOf<'stage_closed'>['flow']>;

/** The work of one stage of a plan. Texts are references of payloads. */
export type FlowStage = Readonly<{
  id: string;
  role: NonNullable<EventOf<'stage_opened'>['flow']>['role'];
  attempt: number;
  round: number;
  input: string;
  /** Null while the stage is open. */
  closed: StageFlow | null;
  /** The position of the end among the ends of all stages; 0 while the stage is open. */
  place: number;
  calls: readonly CallState[];
}>;

/** The stages of a plan that have begun or were skipped, by their ids. */
export type FlowState = Readonly<{ stages: ReadonlyMap<string, FlowStage>; ends: number }>;

export const NO_FLOW: FlowState = { stages: new Map(), ends: 0 };

export const openStages = ({ stages }: FlowState): readonly FlowStage[] =>
  [...stages.values()].filter(({ closed }) => closed === null);

export const flowCalls = (flow: FlowState): readonly CallState[] => openStages(flow).flatMap(({ calls }) => calls);

/** The stages after a call has moved on. */
export function withCall(flow: FlowState, before: CallState, after: CallState): FlowState {
  const stage = openStages(flow).find(({ calls }) => calls.includes(before));
  if (stage === undefined) return flow;
  const calls = stage.calls.map((call) => (call === before ? after : call));
  return { ...flow, stages: new Map(flow.stages).set(stage.id, { ...stage, calls }) };
}

/** A call as another engine finds it: the outcome of a running one is unknown. */
export const lostCall = (call: CallState): CallState => (isBegun(call) ? { ...call, phase: 'unknown' } : call);

/** The stages after the loss of their engine: begun calls of open stages are unknown. */
export function lostCalls(flow: FlowState): FlowState {
  const stages = [...flow.stages].map(([id, stage]) => {
    const calls = stage.closed === null ? stage.calls.map(lostCall) : stage.calls;
    return [id, { ...stage, calls }] as const;
  });
  return { ...flow, stages: new Map(stages) };
}

/** Why the open stages have no such call: its stage was stopped while the call ran, or there is none. */
export const missing = (flow: FlowState | null, call: string): IllegalMove =>
  [...(flow?.stages.values() ?? [])].some(({ calls }) => calls.some(({ id }) => id === call))
    ? 'closed'
    : 'no_such_call';
