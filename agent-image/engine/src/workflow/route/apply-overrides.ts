import type { Effect } from '../../journal/event.ts';
import type { StageFailure } from '../plan/failure.ts';
import type { Plan, PlanStage } from '../plan/plan.ts';
import type { Override } from './override.ts';
import { requireReview } from './require-review.ts';

/** The part of an agent that overrides change, as `agents.yaml` has it. */
export type AgentPart = Readonly<{ id: string; model: string; tools: readonly string[] }>;
/** A tool with its effect, also of a built-in tool. */
export type ToolPart = Readonly<{ id: string; effect: Effect }>;

export type OverridableParts<A extends AgentPart, T extends ToolPart> = Readonly<{
  plan: Plan;
  agents: readonly A[];
  tools: readonly T[];
}>;

/** A change that an override made, as the task keeps it. `target`: the id of a stage, an agent or a tool; `task` for all of it. */
export type OverrideChange = Readonly<{ override: Override['kind']; target: string; change: string }>;

type Budget = Extract<Override, { kind: 'budget' }>['budget'];

/** `mode`: the rule for calls that change something. `budget`: limits that replace those of the task. */
export type Overridden<A extends AgentPart, T extends ToolPart> = OverridableParts<A, T> &
  Readonly<{ mode: 'analysis_only' | 'dry_run' | null; budget: Budget; changes: readonly OverrideChange[] }>;

export type AppliedOverrides<A extends AgentPart, T extends ToolPart> =
  | Readonly<{ ok: true; value: Overridden<A, T> }>
  | Readonly<{ ok: false; failure: StageFailure }>;

/**
 * Applies the overrides of a task to a plan and to the parts of its manifests: the reviews last, the others in their order. Pure: the
 * arguments stay as they are.
 *
 * `analysis_only` and `skip_tools`: a stage that calls such a tool passes its input on instead, and agents lose the tools that are skipped.
 * The mode holds for all other calls. `require_review`: see `requireReview`. An override that names an unknown agent or tool is refused
 * with `override_unknown`, one that the plan has no room for with `override_unfit`.
 */
export function applyOverrides<A extends AgentPart, T extends ToolPart>(
  parts: OverridableParts<A, T>,
  overrides: readonly Override[],
): AppliedOverrides<A, T> {
  let value: Overridden<A, T> = { ...parts, mode: null, budget: {}, changes: [] };
  for (const override of overrides) {
    const unknown = unknownOf(parts, override);
    if (unknown === null) value = applied(value, override);
    else
      return refused(
        'override_unknown',
        `The override ${override.kind} names ${unknown}, which no manifest has. Correct its id.`,
      );
  }
  const agents = overrides.flatMap((override) => (override.kind === 'require_review' ? [override.agent] : []));
  return agents.length === 0 ? { ok: true, value } : reviewed(value, [...new Set(agents)]);
}

const refused = (code: string, message: string): Extract<AppliedOverrides<never, never>, { ok: false }> => ({
  ok: false,
  failure: { category: 'config', code, message },
});

function applied<A extends AgentPart, T extends ToolPart>(
  value: Overridden<A, T>,
  override: Override,
): Overridden<A, T> {
  switch (override.kind) {
    case 'analysis_only':
      return readOnly(value);
    case 'dry_run':
      return noted({ ...value, mode: value.mode ?? 'dry_run' }, override.kind, DRY_RUN);
    case 'skip_tools':
      return withoutTools(value, new Set(override.tools));
    case 'model':
      return withModel(value, override);
    case 'budget':
      return withBudget(value, override.budget);
    case 'require_review':
      return value;
    default:
      return override satisfies never;
  }
}

const ANALYSIS = { target: 'task', change: 'calls that change something are denied' } as const;
const DRY_RUN = { target: 'task', change: 'calls that change something are recorded and not done' } as const;

type Change = Readonly<{ target: string; change: string }>;

const noted = <V extends Readonly<{ changes: readonly OverrideChange[] }>>(
  value: V,
  override: Override['kind'],
  ...changes: readonly Change[]
): V => ({ ...value, changes: [...value.changes, ...changes.map((change) => ({ override, ...change }))] });

function unknownOf({ agents, tools }: OverridableParts<AgentPart, ToolPart>, override: Override): string | null {
  if (override.kind === 'skip_tools') {
    const skipped = override.tools.find((tool) => tools.every(({ id }) => id !== tool));
    return skipped === undefined ? null : `the tool ${skipped}`;
  }
  if (override.kind !== 'model' && override.kind !== 'require_review') return null;
  return agents.some(({ id }) => id === override.agent) ? null : `the agent ${override.agent}`;
}

function readOnly<A extends AgentPart, T extends ToolPart>(value: Overridden<A, T>): Overridden<A, T> {
  const changing = new Set(value.tools.filter(({ effect }) => effect !== 'read').map(({ id }) => id));
  const { plan, changes } = passingOn(value.plan, changing);
  return noted({ ...value, plan, mode: 'analysis_only' }, 'analysis_only', ANALYSIS, ...changes);
}

function withoutTools<A extends AgentPart, T extends ToolPart>(
  value: Overridden<A, T>,
  skipped: ReadonlySet<string>,
): Overridden<A, T> {
  const { plan, changes } = passingOn(value.plan, skipped);
  const agents = value.agents.map((agent) => ({ ...agent, tools: agent.tools.filter((tool) => !skipped.has(tool)) }));
  const lost = value.agents.flatMap(({ id, tools }) =>
    tools.filter((tool) => skipped.has(tool)).map((tool) => ({ target: id, change: `it has no tool ${tool}` })),
  );
  const tools = value.tools.filter(({ id }) => !skipped.has(id));
  return noted({ ...value, plan, agents, tools }, 'skip_tools', ...changes, ...lost);
}

/** The plan in which the stages that call one of these tools pass their input on. */
function passingOn(plan: Plan, tools: ReadonlySet<string>): Readonly<{ plan: Plan; changes: readonly Change[] }> {
  const calls = ({ tool }: PlanStage): boolean => tool !== null && tools.has(tool);
  const stages = plan.stages.map((stage) => (calls(stage) ? idle(stage) : stage));
  const changes = plan.stages
    .filter(calls)
    .map(({ id, tool }) => ({ target: id, change: `it passes its input on instead of calling ${tool}` }));
  return { plan: { ...plan, stages }, changes };
}

const idle = (stage: PlanStage): PlanStage => ({
  ...stage,
  role: 'linear',
  tool: null,
  input: null,
  retry: { attempts: 1, backoffMs: 0, on: null },
  timeoutMs: null,
});

function withModel<A extends AgentPart, T extends ToolPart>(
  value: Overridden<A, T>,
  { agent: changed, model }: Extract<Override, { kind: 'model' }>,
): Overridden<A, T> {
  const agents = value.agents.map((agent) => (agent.id === changed ? { ...agent, model } : agent));
  return noted({ ...value, agents }, 'model', { target: changed, change: `its model is ${model}` });
}

function withBudget<A extends AgentPart, T extends ToolPart>(
  value: Overridden<A, T>,
  budget: Budget,
): Overridden<A, T> {
  const limits = Object.entries(budget).map(([limit, most]) => `${limit}: ${most}`);
  const change = { target: 'task', change: `its limits are ${limits.join(', ')}` };
  return noted({ ...value, budget: { ...value.budget, ...budget } }, 'budget', change);
}

function reviewed<A extends AgentPart, T extends ToolPart>(
  value: Overridden<A, T>,
  agents: readonly string[],
): AppliedOverrides<A, T> {
  const result = requireReview(value.plan, agents);
  if (!result.ok) return refused('override_unfit', result.message);
  const changes = result.exits.map((target) => ({ target, change: `it is reviewed by ${agents.join(', ')}` }));
  return { ok: true, value: noted({ ...value, plan: result.plan }, 'require_review', ...changes) };
}
