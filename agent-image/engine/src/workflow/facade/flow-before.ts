import type { JournalEvent } from '../../journal/event.ts';
import type { FlowState } from '../../state/flow-state.ts';

type Attempt = Readonly<{ stage: string; round: number; attempt: number }>;

/**
 * The stages that had ended when an attempt of a stage began. `events`: those of the task. The agent of the stage reads only these, whenever
 * it begins: a resumed task makes the same request, and the worker has the marks of all texts in it. Pure.
 */
export function flowBefore(flow: FlowState, events: readonly JournalEvent[], of: Attempt): FlowState {
  const begun = events.findIndex(
    (event) =>
      event.type === 'stage_opened' &&
      event.stage === of.stage &&
      event.flow?.round === of.round &&
      event.flow.attempt === of.attempt,
  );
  const ends = events.slice(0, Math.max(0, begun)).filter(({ type }) => type === 'stage_closed').length;
  const ended = [...flow.stages].filter(([, { closed, place }]) => closed !== null && place <= ends);
  return { stages: new Map(ended), ends };
}
