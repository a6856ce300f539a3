import type { Plan, PlanEdge, PlanStage } from '../workflow/plan/plan.ts';

/** A stage of a plan; `linear` without more fields. */
export const aStage = (id: string, fields: Partial<PlanStage> = {}): PlanStage => ({
  id,
  role: 'linear',
  decides: false,
  agent: null,
  tool: null,
  toolPlan: null,
  input: null,
  output: null,
  merge: null,
  feedback: null,
  retry: { attempts: 1, backoffMs: 0, on: null },
  timeoutMs: null,
  ...fields,
});

/** `a>b`: a normal edge; `a!b`: an error edge; `a~b`: a fallback edge; `a?b:CONDITION` and `a?b`: conditional edges. */
export function anEdge(text: string): PlanEdge {
  const [, from = '', sign = '', to = '', when] = /^(\w+)([>!~?])(\w+)(?::(.*))?$/.exec(text) ?? [];
  const type = ({ '>': 'normal', '!': 'error', '~': 'fallback', '?': 'conditional' } as const)[sign as '>'];
  return { id: `${from}->${to}`, from, to, type, when: when ?? null };
}

/** A plan of these stages, in this order, with edges in the notation of `anEdge`. */
export const aPlan = (
  stages: readonly PlanStage[],
  edges: readonly string[] = [],
  fields: Partial<Plan> = {},
): Plan => ({
  version: 1,
  workflow: 'test',
  pipeline: 'default',
  stages,
  edges: edges.map(anEdge),
  fallbacks: [],
  maxParallel: 16,
  ...fields,
});
