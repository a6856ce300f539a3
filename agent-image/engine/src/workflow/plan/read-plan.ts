import { z } from 'zod';
import { FAILURE_CATEGORIES } from './failure.ts';
import { EDGE_TYPES, MAX_EDGES, MAX_STAGES, MERGE_POLICIES, NODE_ROLES, type Plan } from './plan.ts';

const MAX_TEXT = 4_000;
const id = z.string().min(1).max(200);
const text = z.string().max(MAX_TEXT);
const category = z.enum(FAILURE_CATEGORIES);
const count = z.int().min(0);

const stage = z.strictObject({
  id,
  role: z.enum(NODE_ROLES),
  decides: z.boolean(),
  agent: id.nullable(),
  tool: id.nullable(),
  toolPlan: z.array(id).max(MAX_STAGES).nullable(),
  input: z.unknown(),
  output: text.nullable(),
  merge: z.enum(MERGE_POLICIES).nullable(),
  feedback: z.strictObject({ reviews: id, until: text, maxRounds: count }).nullable(),
  retry: z.strictObject({ attempts: count, backoffMs: count, on: z.array(category).nullable() }),
  timeoutMs: count.nullable(),
});

const PlanForm = z.strictObject({
  version: z.literal(1),
  workflow: id,
  pipeline: id,
  stages: z.array(stage).max(MAX_STAGES),
  edges: z
    .array(
      z.strictObject({ id: z.string().max(500), from: id, to: id, type: z.enum(EDGE_TYPES), when: text.nullable() }),
    )
    .max(MAX_EDGES),
  fallbacks: z.array(z.strictObject({ category, role: z.enum(NODE_ROLES).nullable(), to: id })).max(MAX_STAGES),
  maxParallel: count,
});

/**
 * Reads the text of a plan that another program wrote. Null if it is not a plan, or names a stage that it lacks. Pure.
 */
export function readPlan(json: string): Plan | null {
  const plan = PlanForm.safeParse(parsed(json)).data;
  if (plan === undefined) return null;
  const known = new Set(plan.stages.map((each) => each.id));
  const named = [
    ...plan.edges.flatMap(({ from, to }) => [from, to]),
    ...plan.fallbacks.map(({ to }) => to),
    ...plan.stages.flatMap(({ feedback }) => (feedback === null ? [] : [feedback.reviews])),
  ];
  return known.size === plan.stages.length && named.every((name) => known.has(name)) ? plan : null;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
