import type { EventBody } from '../journal/event.ts';
import type { FlowStage, FlowState } from '../state/flow-state.ts';
import type { Plan } from '../workflow/plan/plan.ts';

/** A task that begins at a stage of an earlier one. `input`: of that stage, instead of the one it had; undefined to keep that. */
export type Rerun = Readonly<{ of: string; stage: string; input?: unknown }>;

/** The stages behind a stage, and the stage itself. A rule may lead to its target from anywhere, so its target counts as behind all. */
export function stagesFrom(plan: Plan, from: string): ReadonlySet<string> {
  const found = new Set([from, ...plan.fallbacks.map(({ to }) => to)]);
  for (const id of found) for (const edge of plan.edges) if (edge.from === id) found.add(edge.to);
  return found;
}

/** The events with which a task takes over what an earlier one had done before a stage, in the order of its ends. Pure. */
export function takenOver(plan: Plan, earlier: FlowState, from: string): readonly EventBody[] {
  const again = stagesFrom(plan, from);
  const known = new Set(plan.stages.map(({ id }) => id));
  return [...earlier.stages.values()]
    .filter(
      ({ id, closed }) => known.has(id) && !again.has(id) && (closed?.end === 'done' || closed?.end === 'skipped'),
    )
    .toSorted((one, other) => one.place - other.place)
    .flatMap(eventsOf);
}

function eventsOf({ id, role, input, closed, attempt }: FlowStage): readonly EventBody[] {
  const end: EventBody = { type: 'stage_closed', stage: id, flow: closed ?? undefined };
  if (attempt === 0) return [end];
  return [{ type: 'stage_opened', stage: id, flow: { role, attempt: 1, round: 1, input, calls: [] } }, end];
}
