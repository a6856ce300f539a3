import { isJsonObject } from '../../json/canonical-json.ts';
import { templateProblems } from '../expression/fill-template.ts';
import { MAX_EDGES, MAX_STAGES, type Plan, type PlanEdge, type PlanStage, type Template } from '../plan/plan.ts';

export type ReviewedPlan =
  | Readonly<{ ok: true; plan: Plan; exits: readonly string[] }>
  | Readonly<{ ok: false; message: string }>;

/** A review that does not say this refuses: its stage fails with `no_edge`, and so does the task unless a rule handles it. */
const APPROVED = 'output.approved == true';
const ONCE = { attempts: 1, backoffMs: 0, on: null } as const;

/**
 * A plan in which each of the agents reviews each exit, one after the other: a tool before its call, which needs the approvals, and any
 * other stage after its output, which leaves the task only with them. Its data stay as they were. `exits`: the stages that are reviewed.
 * Pure.
 */
export function requireReview(plan: Plan, agents: readonly string[]): ReviewedPlan {
  const exits = plan.stages.filter(({ id }) => plan.edges.every((edge) => edge.from !== id || !isOnward(edge)));
  const added = exits.length * (agents.length + 1);
  if (plan.stages.length + added > MAX_STAGES || plan.edges.length + added > MAX_EDGES) {
    return {
      ok: false,
      message: `The reviews make more than ${MAX_STAGES} stages or ${MAX_EDGES} edges. Require fewer.`,
    };
  }
  let reviewed = plan;
  for (const exit of exits) {
    reviewed = exit.role === 'tool' ? before(reviewed, exit, agents) : after(reviewed, exit, agents);
  }
  const unfit = reviewed.stages.find(({ input }) => templateProblems(input).length > 0);
  if (unfit !== undefined)
    return { ok: false, message: `The input of ${unfit.id} is too long for a review. Shorten it.` };
  return { ok: true, plan: reviewed, exits: exits.map(({ id }) => id) };
}

const isOnward = ({ type }: PlanEdge): boolean => type === 'normal' || type === 'conditional';

/** A stage of its own holds the input of the tool. It goes to the reviews, and then to the tool. */
function before(plan: Plan, exit: PlanStage, agents: readonly string[]): Plan {
  const held = freeId(plan, `${exit.id}.held`);
  const edges = plan.edges.map((edge) => (edge.to === exit.id ? leadingTo(edge, held) : edge));
  const reviews = reviewsOf(plan, { exit: exit.id, of: held, to: exit.id, agents });
  const added = [linear(held, null), ...reviews.stages, { ...exit, input: heldInput(exit.input, held) }];
  return {
    ...plan,
    stages: plan.stages.flatMap((stage) => (stage.id === exit.id ? added : [stage])),
    edges: [...edges, ...reviews.edges],
    fallbacks: plan.fallbacks.map((rule) => (rule.to === exit.id ? { ...rule, to: held } : rule)),
  };
}

/** The output of the exit goes to the reviews, and then leaves the task by a stage that repeats it. */
function after(plan: Plan, exit: PlanStage, agents: readonly string[]): Plan {
  const passed = freeId(plan, `${exit.id}.reviewed`);
  const reviews = reviewsOf(plan, { exit: exit.id, of: exit.id, to: passed, agents });
  return {
    ...plan,
    stages: [...plan.stages, ...reviews.stages, linear(passed, outputOf(exit.id))],
    edges: [...plan.edges, ...reviews.edges],
  };
}

/** `exit`: names the reviews. `of`: the stage whose output they judge. `to`: the stage after them. */
type Reviewing = Readonly<{ exit: string; of: string; to: string; agents: readonly string[] }>;

function reviewsOf(plan: Plan, { exit, of, to, agents }: Reviewing): Pick<Plan, 'stages' | 'edges'> {
  const ids = agents.map((agent) => freeId(plan, `${exit}.review.${agent}`));
  const edges = ids.map((id, index) => approval(id, ids[index + 1] ?? to));
  return {
    stages: ids.map((id, index) => reviewer(id, agents[index] ?? '', `=${outputOf(of)}`)),
    edges: [...ids.slice(0, 1).map((first) => normal(of, first)), ...edges],
  };
}

function freeId({ stages }: Plan, wanted: string): string {
  const taken = new Set(stages.map(({ id }) => id));
  let id = wanted;
  while (taken.has(id)) id = `${id}_`;
  return id;
}

const outputOf = (stage: string): string => `stages['${stage}'].output`;

const BLANK = { tool: null, toolPlan: null, merge: null, feedback: null, retry: ONCE, timeoutMs: null } as const;
const linear = (id: string, output: string | null): PlanStage => ({
  ...BLANK,
  id,
  role: 'linear',
  decides: false,
  agent: null,
  input: null,
  output,
});
const reviewer = (id: string, agent: string, input: Template): PlanStage => ({
  ...BLANK,
  id,
  role: 'agent',
  decides: true,
  agent,
  input,
  output: null,
});

const normal = (from: string, to: string): PlanEdge => ({ id: `${from}->${to}`, from, to, type: 'normal', when: null });
const approval = (from: string, to: string): PlanEdge => ({
  id: `${from}->${to}`,
  from,
  to,
  type: 'conditional',
  when: APPROVED,
});

/** The number behind the id of a further edge of the pair stays. */
const leadingTo = (edge: PlanEdge, to: string): PlanEdge => ({
  ...edge,
  to,
  id: `${edge.from}->${to}${edge.id.slice(`${edge.from}->${edge.to}`.length)}`,
});

/** The input of the tool, as if the review were not between: `input` is what waits in the stage before. */
function heldInput(template: Template | null, held: string): Template {
  if (template === null) return `=${outputOf(held)}`;
  if (typeof template === 'string') return heldText(template, held);
  if (Array.isArray(template)) return template.map((item) => heldPart(item, held));
  if (!isJsonObject(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, heldPart(item, held)]));
}

const heldPart = (item: unknown, held: string): unknown => (item === null ? null : heldInput(item, held));

const heldText = (text: string, held: string): string =>
  /^=(?!=).*\binput\b/s.test(text) ? `=cel.bind(input, ${outputOf(held)}, ${text.slice(1)})` : text;
