import type { EventBody } from '../journal/event.ts';
import type { FlowStage, FlowState } from '../state/flow-state.ts';
import type { Plan } from '../workflow/plan/plan.ts';
import { fallbackEdge } from './decision/plan-index.ts';
import { isUnhandled } from './decision/ready-stages.ts';

/** A task that begins at a stage of an earlier one. `input`: of that stage, instead of the one it had; undefined to keep that. */
export type Rerun = Readonly<{ of: string; stage: string; input?: unknown }>;

/** The stages that run again: the stage, those after it in the plan, and the targets of rules that it or they led to, or that nothing led to. */
function stagesFrom(plan: Plan, earlier: FlowState, from: string): ReadonlySet<string> {
  const open = plan.fallbacks.filter(({ to }) => !hasWorked(earlier.stages.get(to)));
  const found = new Set([from, ...open.map(({ to }) => to)]);
  for (const id of found) {
    const taken = earlier.stages.get(id)?.closed?.edges ?? [];
    for (const { to } of plan.fallbacks) if (taken.includes(fallbackEdge(to))) found.add(to);
    for (const edge of plan.edges) if (edge.from === id) found.add(edge.to);
  }
  return found;
}

type Earlier = Readonly<{ plan: Plan; flow: FlowState }>;

/** The first stage that a repeated task would take over although other edges lead away from it now; null if there is none. Pure. */
export function reroutedBefore(plan: Plan, earlier: Earlier, from: string): string | null {
  const again = stagesFrom(plan, earlier.flow, from);
  const edgesIn = ({ edges }: Plan, source: string): string =>
    JSON.stringify(edges.filter((edge) => edge.from === source).map(({ id, type, when }) => [id, type, when]));
  const found = plan.stages.find(
    ({ id }) => !again.has(id) && earlier.flow.stages.has(id) && edgesIn(plan, id) !== edgesIn(earlier.plan, id),
  );
  return found?.id ?? null;
}

/** The events with which a task takes over what an earlier one had done before a stage, in the order of its ends. Pure. */
export function takenOver(plan: Plan, earlier: FlowState, from: string): readonly EventBody[] {
  const again = stagesFrom(plan, earlier, from);
  const known = new Set(plan.stages.map(({ id }) => id));
  return [...earlier.stages.values()]
    .filter((stage) => known.has(stage.id) && !again.has(stage.id))
    .filter((stage) => stage.closed?.end === 'skipped' || hasWorked(stage))
    .toSorted((one, other) => one.place - other.place)
    .flatMap(eventsOf);
}

/** True if a stage is done, or failed into another one. */
const hasWorked = (stage: FlowStage | undefined): boolean =>
  stage?.closed?.end === 'done' || (stage?.closed?.end === 'failed' && !isUnhandled(stage));

function eventsOf({ id, role, input, closed, attempt }: FlowStage): readonly EventBody[] {
  const end: EventBody = { type: 'stage_closed', stage: id, flow: closed ?? undefined };
  if (attempt === 0) return [end];
  return [{ type: 'stage_opened', stage: id, flow: { role, attempt: 1, round: 1, input, calls: [] } }, end];
}
