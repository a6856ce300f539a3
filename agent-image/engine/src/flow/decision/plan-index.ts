import type { Plan, PlanEdge, PlanStage } from '../../workflow/plan/plan.ts';

/** A plan with what its deciders look up. */
export type PlanIndex = Readonly<{
  plan: Plan;
  stages: ReadonlyMap<string, PlanStage>;
  inbound: ReadonlyMap<string, readonly PlanEdge[]>;
  /** Stages after which the task has nothing to do unless they fail. */
  exits: ReadonlySet<string>;
  /** The feedback stage that judges a stage, by the judged stage. */
  judges: ReadonlyMap<string, string>;
  /** Targets of fallback rules. */
  ruled: ReadonlySet<string>;
}>;

/** The pseudo edge to the target of a fallback rule. */
export const fallbackEdge = (to: string): string => `fallback:${to}`;

export function indexOf(plan: Plan): PlanIndex {
  const inbound = Map.groupBy(plan.edges, ({ to }) => to);
  const leading = new Set(
    plan.edges.filter(({ type }) => type === 'normal' || type === 'conditional').map(({ from }) => from),
  );
  return {
    plan,
    stages: new Map(plan.stages.map((stage) => [stage.id, stage])),
    inbound,
    exits: new Set(plan.stages.filter(({ id }) => !leading.has(id)).map(({ id }) => id)),
    judges: new Map(
      plan.stages.flatMap(({ id, feedback }) => (feedback === null ? [] : [[feedback.reviews, id] as const])),
    ),
    ruled: new Set(plan.fallbacks.map(({ to }) => to)),
  };
}
