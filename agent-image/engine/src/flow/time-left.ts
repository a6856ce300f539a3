import type { Kit } from '../loop/kit.ts';
import type { Session } from '../loop/session.ts';
import { openStages } from '../state/flow-state.ts';
import type { PlanStage } from '../workflow/plan/plan.ts';
import { memoryOf } from './flow-memory.ts';

/**
 * Milliseconds that the stage of a call has left, of the time in which this engine works on it; infinite without a limit. The limit of an
 * agent's stage is that of its run, which does not count the time of people.
 */
export function timeLeftOf({ ports }: Pick<Kit, 'ports'>, session: Session, call: string): number {
  const { index, begun } = memoryOf(session);
  const open = session.state.flow === null ? [] : openStages(session.state.flow);
  const stage = open.find(({ calls }) => calls.some(({ id }) => id === call));
  const timeoutMs = limitOf(index.stages.get(stage?.id ?? ''));
  if (stage === undefined || timeoutMs === null) return Infinity;
  const now = ports.clock.monotonic();
  const key = `${stage.id}.${stage.round}.${stage.attempt}`;
  const since = begun.get(key) ?? now;
  begun.set(key, since);
  return timeoutMs - (now - since);
}

const limitOf = (planned: PlanStage | undefined): number | null =>
  planned === undefined || planned.agent !== null ? null : planned.timeoutMs;
