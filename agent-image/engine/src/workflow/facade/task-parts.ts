import type { Manifests } from '../manifest/manifests.ts';
import type { AgentSpec, ToolSpec } from '../manifest/schemas.ts';
import { compilePlan } from '../plan/compile-plan.ts';
import type { Plan } from '../plan/plan.ts';
import { applyOverrides, type OverrideChange } from '../route/apply-overrides.ts';
import type { Override } from '../route/override.ts';
import { BUILT_INS } from '../tools/built-ins/built-in.ts';
import { configError, EngineError } from './engine-error.ts';

/** The manifests as they are for one task, after its overrides. */
export type TaskParts = Readonly<{
  plan: Plan;
  agents: readonly AgentSpec[];
  tools: readonly (ToolSpec & Readonly<{ effect: Effect }>)[];
  mode: 'analysis_only' | 'dry_run' | null;
  budget: Extract<Override, { kind: 'budget' }>['budget'];
  changes: readonly OverrideChange[];
}>;

type Effect = 'read' | 'idempotent' | 'keyed' | 'verify' | 'once';

const withEffect = (tool: ToolSpec): ToolSpec & Readonly<{ effect: Effect }> => ({
  ...tool,
  effect: tool.uses === 'handler' ? tool.effect : BUILT_INS[tool.uses].effect,
});

/** Plans by their manifests and pipelines: all tasks of an engine share them. */
const plans = new WeakMap<Manifests, Map<string, Plan>>();

function planOf(manifests: Manifests, pipeline: string): Plan {
  const known = plans.get(manifests) ?? new Map<string, Plan>();
  plans.set(manifests, known);
  const plan = known.get(pipeline);
  if (plan !== undefined) return plan;
  const compiled = compilePlan(manifests, pipeline);
  if (!compiled.ok) throw configError(compiled.errors);
  known.set(pipeline, compiled.value);
  return compiled.value;
}

/** The parts of a task with these overrides. Throws `config_error` if an override does not fit the manifests. */
export function taskParts(manifests: Manifests, pipeline: string, overrides: readonly Override[]): TaskParts {
  const parts = { plan: planOf(manifests, pipeline), agents: manifests.agents, tools: manifests.tools.map(withEffect) };
  const applied = applyOverrides(parts, overrides);
  if (!applied.ok) throw new EngineError('config_error', applied.failure.message);
  return applied.value;
}
