import type { Session } from '../loop/session.ts';
import { memoryOf, valueOf } from './flow-memory.ts';

/** The names that expressions of a plan know: `task`, `input`, and `stages.<id>.output` of the stages that are done. */
export function scopeOf(session: Session, input: unknown): Readonly<Record<string, unknown>> {
  const { task } = memoryOf(session);
  const stages: Record<string, unknown> = {};
  for (const { id, closed } of session.state.flow?.stages.values() ?? [])
    if (closed?.end === 'done' && closed.output !== null) stages[id] = { output: valueOf(session, closed.output) };
  return { task, input, stages };
}
