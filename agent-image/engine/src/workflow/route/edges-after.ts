import { evaluateExpression } from '../expression/expression.ts';
import type { Scope } from '../expression/place.ts';
import type { StageFailure } from '../plan/failure.ts';
import type { EdgeType, Plan, PlanEdge, PlanStage } from '../plan/plan.ts';

/**
 * The end of a stage. `output` is JSON; `scope` gives the other names of the conditions, if there are any. `closed`: ids of the stages that cannot open any
 * more, to which no rule may lead.
 */
export type StageEnd =
  | Readonly<{ kind: 'done'; output: unknown; scope: () => Scope }>
  | Readonly<{ kind: 'failed'; failure: StageFailure; closed: ReadonlySet<string> }>;

/** `edges`: ids of the edges that are taken; `fallback:<to>` for a fallback rule. `handled`: false if the task fails with the failure of the stage. */
export type Routed =
  | Readonly<{ ok: true; edges: readonly string[]; handled: boolean }>
  | Readonly<{ ok: false; failure: StageFailure }>;

/**
 * The edges that a plan takes after a stage. Pure, and only edges and rules of the plan are ever taken.
 *
 * Done: its normal edges, and of its conditional edges the first one in the order of the manifest whose condition is true, else the one
 * without a condition. Failed for the last time: its error edges; without any, its fallback edges; without those, the first rule that fits.
 */
export function edgesAfter(plan: Plan, stageId: string, end: StageEnd): Routed {
  const stage = plan.stages.find(({ id }) => id === stageId);
  if (stage === undefined) return refused('no_such_stage', `The plan has no stage ${stageId}.`);
  return end.kind === 'done' ? afterDone(plan, stage, end) : afterFailure(plan, stage, end);
}

const refused = (code: string, message: string): Routed => ({
  ok: false,
  failure: { category: 'routing', code, message },
});
const taken = (edges: readonly string[], handled = true): Routed => ({ ok: true, edges, handled });

const leaving = (plan: Plan, from: string, type: EdgeType): readonly PlanEdge[] =>
  plan.edges.filter((edge) => edge.from === from && edge.type === type);
const idsOf = (edges: readonly PlanEdge[]): readonly string[] => edges.map(({ id }) => id);

function afterDone(plan: Plan, stage: PlanStage, end: Extract<StageEnd, { kind: 'done' }>): Routed {
  const normal = idsOf(leaving(plan, stage.id, 'normal'));
  if (!stage.decides) return taken(normal);
  const conditional = leaving(plan, stage.id, 'conditional');
  const scope = { ...end.scope(), output: end.output };
  for (const { id, when } of conditional) {
    if (when === null) continue;
    const result = evaluateExpression(when, scope, { part: 'edge' });
    if (!result.ok) return refused('condition_failed', `The condition of ${id} has no value: ${result.message}.`);
    if (typeof result.value !== 'boolean')
      return refused('condition_failed', `The condition of ${id} is not true or false.`);
    if (result.value) return taken([...normal, id]);
  }
  const otherwise = conditional.find(({ when }) => when === null);
  if (otherwise !== undefined) return taken([...normal, otherwise.id]);
  return refused('no_edge', `No condition after ${stage.id} is true, and it has no edge with otherwise. Add one.`);
}

function afterFailure(plan: Plan, stage: PlanStage, end: Extract<StageEnd, { kind: 'failed' }>): Routed {
  const errors = leaving(plan, stage.id, 'error');
  const edges = errors.length > 0 ? errors : leaving(plan, stage.id, 'fallback');
  if (edges.length > 0) return taken(idsOf(edges));
  const rule = plan.fallbacks.find(
    ({ category, role, to }) =>
      category === end.failure.category &&
      (role === null || role === stage.role) &&
      to !== stage.id &&
      !end.closed.has(to),
  );
  return rule === undefined ? taken([], false) : taken([`fallback:${rule.to}`]);
}
