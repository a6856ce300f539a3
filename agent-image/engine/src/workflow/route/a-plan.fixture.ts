import type { Plan, PlanEdge, PlanStage } from '../plan/plan.ts';

/** A stage for tests: linear unless `changes` says otherwise. */
export const aStage = (id: string, changes: Partial<PlanStage> = {}): PlanStage => ({
  id,
  role: 'linear',
  decides: false,
  agent: null,
  tool: null,
  toolPlan: false,
  input: null,
  output: null,
  merge: null,
  feedback: null,
  retry: { attempts: 1, backoffMs: 0, on: null },
  timeoutMs: null,
  ...changes,
});

/** Edges for tests, written as `a->b`, with `type: when` behind it if it is not normal; `otherwise` for one without a condition. */
export function edgesOf(...texts: readonly string[]): readonly PlanEdge[] {
  return texts.map((text) => {
    const [id = '', type = 'normal', when = 'otherwise'] = text.split(/ |: /);
    const [from = '', to = ''] = id.split('->');
    const condition = text.includes(': ') ? text.slice(text.indexOf(': ') + 2) : when;
    return { id, from, to, type: type as PlanEdge['type'], when: condition === 'otherwise' ? null : condition };
  });
}

export const aPlan = (parts: Partial<Plan>): Plan => ({
  version: 1,
  workflow: 'w',
  pipeline: 'default',
  stages: [],
  edges: [],
  fallbacks: [],
  maxParallel: 4,
  ...parts,
});
