import type { Kit } from '../loop/kit.ts';
import type { Session } from '../loop/session.ts';
import type { FlowStage } from '../state/flow-state.ts';
import { closingOf, type StageEnd } from './end-stage.ts';
import { memoryOf, valueOf } from './flow-memory.ts';
import type { FlowPorts, StageAt } from './flow-ports.ts';
import type { StageFailure } from '../workflow/plan/failure.ts';

/** A run with a plan at work. */
export type Flowing = Readonly<{ kit: Kit; session: Session; ports: FlowPorts }>;

/** An open stage of the run with what it got. */
export function stageAt({ session }: Flowing, open: FlowStage): StageAt {
  const stage = memoryOf(session).index.stages.get(open.id);
  if (stage === undefined) throw new Error(`The plan of the run ${session.run} has no stage ${open.id}.`);
  return { run: session.run, stage, attempt: open.attempt, round: open.round, input: valueOf(session, open.input) };
}

/** True while this attempt of the stage is under way. */
export function isOpen({ session }: Flowing, { stage, attempt, round }: StageAt): boolean {
  const now = session.state.flow?.stages.get(stage.id);
  return now !== undefined && now.closed === null && now.attempt === attempt && now.round === round;
}

/** Ends a stage, unless it has ended meanwhile. */
export function endStage(flowing: Flowing, at: StageAt, end: StageEnd): void {
  const { kit, session } = flowing;
  if (!isOpen(flowing, at)) return;
  const closing = closingOf({ session, journal: kit.ports.journal }, { ...at, end });
  if (session.append([closing.event], closing.payloads)) reportEnd(flowing, at, { end, failure: closing.failure });
}

/** Shows observers the end of a stage. */
export function reportEnd(
  { ports }: Flowing,
  at: StageAt,
  { end, failure }: Readonly<{ end: StageEnd; failure: StageFailure | null }>,
): void {
  ports.afterStage(at, { output: failure === null && 'output' in end ? end.output : null, failure });
}

export const failing = (category: StageFailure['category'], code: string, message: string): StageEnd => ({
  failure: { category, code, message },
});
