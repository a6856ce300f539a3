import { z } from 'zod';
import { FAILURE_CATEGORIES } from './failure.ts';
import { EDGE_TYPES, MAX_EDGES, MAX_STAGES, MERGE_POLICIES, NODE_ROLES } from './plan.ts';

const MAX_DESCRIPTION = 2_000;
const MAX_EXPRESSION = 4_000;
const MAX_ATTEMPTS = 20;
const MAX_BACKOFF_S = 3_600;
const MIN_TIMEOUT_S = 0.001;
const MAX_TIMEOUT_S = 604_800;
const MAX_ROUNDS = 20;
const MAX_PARALLEL = 256;
const MAX_FALLBACKS = 200;

export const ManifestId = z
  .string()
  .regex(/^[a-z][a-z0-9_.-]{0,63}$/, 'an id begins with a letter and has at most 64 of a-z, 0-9, _, . and -');

/** Text for people. */
export const Description = z.string().max(MAX_DESCRIPTION);

const Condition = z.string().min(1).max(MAX_EXPRESSION);
const Output = z
  .string()
  .max(MAX_EXPRESSION)
  .regex(/^=[^]/, 'an output is an expression: write = before it')
  .describe('The output: = and an expression in CEL.');

const named = { id: ManifestId, description: Description.optional() };
const input = z
  .unknown()
  .optional()
  .describe('JSON in which texts that begin with = are expressions. Without it: the output of the stage before.');
const decides = z
  .boolean()
  .default(false)
  .describe('True if the conditional edges of the node decide where the plan continues.');

/** Fields of stages that ask an agent or call a tool: those that may fail now and succeed later. */
const tried = {
  retry: z
    .strictObject({
      attempts: z.int().min(1).max(MAX_ATTEMPTS).describe('Attempts in all: 1 means no second one.'),
      backoff_s: z
        .number()
        .min(0)
        .max(MAX_BACKOFF_S)
        .default(0)
        .describe('Seconds before the second attempt, doubled for each further one.'),
      on: z
        .array(z.enum(FAILURE_CATEGORIES))
        .min(1)
        .max(FAILURE_CATEGORIES.length)
        .optional()
        .describe('Categories of failure that are tried again; by default all but permission and config.'),
    })
    .optional(),
  timeout_s: z.number().min(MIN_TIMEOUT_S).max(MAX_TIMEOUT_S).optional().describe('Seconds of an attempt.'),
};

const MAX_PLANNED_TOOLS = 100;
const agent = ManifestId.describe('An agent of agents.yaml.');
const agentFields = { ...named, role: z.literal('agent'), agent, input, ...tried };
const toolFields = {
  ...named,
  role: z.literal('tool'),
  tool: ManifestId.optional().describe('A tool of tools.yaml.'),
  tool_plan: z
    .array(ManifestId)
    .min(1)
    .max(MAX_PLANNED_TOOLS)
    .optional()
    .describe('The input is a ToolPlan, whose steps are the calls: the tools that they may name.'),
  input,
  ...tried,
};
const linearFields = { ...named, role: z.literal('linear'), input, output: Output.optional() };

const callsOne = (node: Readonly<{ tool?: string | undefined; tool_plan?: readonly string[] | undefined }>): boolean =>
  (node.tool !== undefined) !== (node.tool_plan !== undefined);
const CALLS_ONE = 'a tool node has either a tool or a tool_plan';

/** A node of a workflow. Its role decides which fields it has. */
export const NodeSpec = z.discriminatedUnion('role', [
  z.strictObject({ ...agentFields, decides }),
  z.strictObject({ ...toolFields, decides }).refine(callsOne, CALLS_ONE),
  z.strictObject({ ...linearFields, decides }),
  z.strictObject({
    ...named,
    role: z.literal('decision'),
    input,
    output: Output.optional(),
    decides: z.literal(true).default(true),
  }),
  z
    .strictObject({
      ...named,
      role: z.literal('merge'),
      merge: z.enum(MERGE_POLICIES).default('list').describe('The way in which the inputs become one output.'),
      output: Output.optional(),
    })
    .refine(({ merge, output }) => (merge === 'reduce') === (output !== undefined), {
      message: 'a merge has an output if, and only if, it is merge: reduce',
    }),
  z.strictObject({
    ...named,
    role: z.literal('feedback'),
    agent,
    reviews: ManifestId.describe('The node that the agent judges, right before this one.'),
    until: Condition.describe('A condition on `output`, the judgement, that ends the rounds.'),
    max_rounds: z.int().min(1).max(MAX_ROUNDS).default(3).describe('Most times that the reviewed node runs.'),
    input,
    decides,
    ...tried,
  }),
]);
export type NodeSpec = Readonly<z.infer<typeof NodeSpec>>;

/** A stage that a pipeline puts before or after a node. */
export const SequenceStage = z.discriminatedUnion('role', [
  z.strictObject(agentFields),
  z.strictObject(toolFields).refine(callsOne, CALLS_ONE),
  z.strictObject(linearFields),
]);
export type SequenceStage = Readonly<z.infer<typeof SequenceStage>>;

/** An edge between two nodes. */
export const EdgeSpec = z
  .strictObject({
    from: ManifestId,
    to: ManifestId,
    type: z.enum(EDGE_TYPES).default('normal'),
    when: Condition.optional().describe('A condition in CEL; the first true one of a decision is taken.'),
    otherwise: z.literal(true).optional().describe('The edge of a decision that is taken if no condition is true.'),
  })
  .refine(
    ({ type, when, otherwise }) => [when, otherwise].filter(Boolean).length === (type === 'conditional' ? 1 : 0),
    {
      message: 'a conditional edge has either when or otherwise: true, and other edges have neither',
    },
  );
export type EdgeSpec = Readonly<z.infer<typeof EdgeSpec>>;

/** A rule for failures without an edge. Without a role it fits every role. */
export const FallbackSpec = z.strictObject({
  category: z.enum(FAILURE_CATEGORIES),
  role: z.enum(NODE_ROLES).optional(),
  to: ManifestId,
});
export type FallbackSpec = Readonly<z.infer<typeof FallbackSpec>>;

/** The workflow of `workflow.yaml`. */
export const WorkflowSpec = z.strictObject({
  ...named,
  max_parallel: z.int().min(1).max(MAX_PARALLEL).default(4).describe('Most stages that run at once.'),
  nodes: z.array(NodeSpec).min(1).max(MAX_STAGES),
  edges: z.array(EdgeSpec).max(MAX_EDGES).default([]),
  fallbacks: z.array(FallbackSpec).max(MAX_FALLBACKS).default([]),
});
export type WorkflowSpec = Readonly<z.infer<typeof WorkflowSpec>>;
