import * as z from 'zod';
import { guarded } from './guarded.ts';
import { matching, text } from './text.ts';

const MAX_TOOL_NAME_CHARS = 64;
const MAX_ALLOWED_TOOLS = 64;
const MAX_RULES = 32;
const MAX_TOOLS_OF_RULE = 32;
const MAX_REASON_CHARS = 512;
const MAX_EXAMPLES = 8;
const MAX_EXAMPLE_COMMAND_CHARS = 1_000;
const MAX_IMAGE_CHARS = 512;

export const ModelChoice = z.strictObject({
  provider: matching(
    '^[a-z][a-z0-9-]{0,62}$',
    63,
    "write the name of a provider of the village: lower case letters, digits and '-', for example ollama",
  )
    .optional()
    .describe('Provider of the model, as the village names it; by default the first provider that serves the model.'),
  name: matching(
    '^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$',
    128,
    'write the name of a model as its provider writes it, for example qwen3:8b',
  ).describe('Name of the model.'),
});

const ToolName = matching(
  '^[a-z][a-zA-Z0-9_.:/-]*$',
  MAX_TOOL_NAME_CHARS,
  'write the name of a tool or of a class of tools, for example post_to_board or publish',
);

const isUnique = (names: readonly string[]): boolean => new Set(names).size === names.length;

const Example = z.strictObject({
  tool: ToolName.describe('Tool of the call.'),
  when: z.enum(['run', 'turn']).default('run').describe('Circumstance of the call.'),
  command: text(MAX_EXAMPLE_COMMAND_CHARS, 1)
    .optional()
    .describe('Command of a call of shell; the API matches it by the classes that it finds in the command.'),
});
const Examples = z.array(Example).max(MAX_EXAMPLES).optional();

const ToolRule = z.strictObject({
  tools: z
    .array(ToolName)
    .min(1)
    .max(MAX_TOOLS_OF_RULE)
    .describe(
      'Tools and classes of tools (read, speak, act, publish, spend, persona, schedule) that the rule is about.',
    ),
  when: z
    .enum(['run', 'turn'])
    .optional()
    .describe("Circumstance: in a run, or in one of the agent's own turns; both if absent."),
  verdict: z
    .enum(['deny', 'ask', 'allow'])
    .describe('Verdict. ask: a person has to allow each call. If several rules match, deny wins over ask over allow.'),
  reason: text(MAX_REASON_CHARS, 1).optional().describe('Reason, shown to the agent and to the person who is asked.'),
  examples: z
    .strictObject({
      match: Examples.describe('Calls that the rule must match.'),
      not: Examples.describe('Calls that the rule must not match.'),
    })
    .optional()
    .describe(
      'Test cases of the rule. If one fails, the condition RulesChecked names rule and example; the rule then no longer allows, but still asks and denies.',
    ),
});

export const TierTools = z.strictObject({
  rules: z
    .array(ToolRule)
    .max(MAX_RULES)
    .optional()
    .describe('Rules besides those of the village and of the Agent; they only narrow what the village allows.'),
});

export const ToolPolicy = z.strictObject({
  allow: guarded(z.array(ToolName).max(MAX_ALLOWED_TOOLS), [
    {
      holds: isUnique,
      rule: 'self.all(name, self.exists_one(other, other == name))',
      message: 'write each tool once',
    },
  ])
    .optional()
    .describe('The only tools and classes of tools that the agent has; all tools of its village if absent.'),
  rules: z
    .array(ToolRule)
    .max(MAX_RULES)
    .optional()
    .describe("Rules besides those of the village and the agent's tier."),
});

export const Hands = z.strictObject({
  image: matching(
    '^[a-z0-9][A-Za-z0-9._:/@-]*$',
    MAX_IMAGE_CHARS,
    'write the name of a container image, for example registry.example.org/team/hands:1.2',
  )
    .optional()
    .describe('Image of the container in which tools run, built from the image of agents. By default that image.'),
  enabled: z.boolean().optional().describe('True if the pod has that container; by default the operator decides.'),
});
