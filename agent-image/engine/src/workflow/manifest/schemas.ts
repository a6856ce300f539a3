import { z } from 'zod';
import { ContextProfile } from '../../context/profile.ts';
import { PipelineSpec } from '../plan/pipeline-spec.ts';
import { Description, ManifestId, WorkflowSpec } from '../plan/workflow-spec.ts';
import { Override } from '../route/override.ts';

const MAX_INSTRUCTIONS = 100_000;
const MAX_NAME = 200;
const MAX_LIST = 200;
const MAX_ENTRIES = 100;
const MAX_ENTRY = 500;
const MAX_URL = 2_000;
const MAX_TOKENS = 1_000_000_000;
const MAX_STEPS = 100_000;
const MAX_MINUTES = 43_200;
const MAX_TIMEOUT_S = 86_400;
const MAX_TEMPERATURE = 2;

const Name = z.string().min(1).max(MAX_NAME);
/** Money as a decimal text, exact to a millionth. */
const Money = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, 'money is a text such as "0.5"');
/** A path below a folder of the task. */
const RelativePath = z
  .string()
  .max(MAX_ENTRY)
  .regex(/^(?!.*(?:^|\/)\.\.(?:\/|$))[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/, 'expected a relative path without ..');
const JsonSchema = z.record(z.string(), z.unknown());
const HttpUrl = z
  .url({ protocol: /^https?$/ })
  .max(MAX_URL)
  .refine((url) => !/^[a-z]+:\/\/[^/]*@/i.test(url), 'an address has no password: keys come from the environment');

/** The kinds of servers that answer for models, as `@hamlet/models` names them. */
export const MODEL_PROVIDERS = [
  'openai',
  'openrouter',
  'anthropic',
  'ollama',
  'vllm',
  'compatible',
  'completions',
] as const;
/** Providers without an address of their own. */
const ADDRESSED: ReadonlySet<string> = new Set(['vllm', 'compatible', 'completions']);

/** A model as `agents.yaml` names it. In the village, agents use the models of the gateway by their names. */
const ModelSpec = z
  .strictObject({
    id: ManifestId,
    provider: z.enum(MODEL_PROVIDERS).describe('The kind of server that answers.'),
    name: Name.describe('The name of the model at the provider.'),
    base_url: HttpUrl.optional(),
    api_key_env: z
      .string()
      .regex(
        /^[A-Z][A-Z0-9_]{0,127}$/,
        'expected the name of an environment variable, such as OPENAI_API_KEY: the key itself stays out of manifests',
      )
      .optional()
      .describe('The environment variable with the key.'),
    max_output_tokens: z.int().min(1).max(MAX_TOKENS).optional(),
    temperature: z.number().min(0).max(MAX_TEMPERATURE).optional().describe('Without it, that of the provider.'),
  })
  .refine(({ provider, base_url: url }) => url !== undefined || !ADDRESSED.has(provider), {
    message: 'this provider has no address of its own: add base_url',
  });

/** The most that a stage, or a task, may use. */
export const BudgetSpec = z.strictObject({
  steps: z.int().min(1).max(MAX_STEPS).optional(),
  tokens: z.int().min(1).max(MAX_TOKENS).optional(),
  minutes: z.number().min(0.01).max(MAX_MINUTES).optional(),
  money: Money.optional(),
});
export type BudgetSpec = Readonly<z.infer<typeof BudgetSpec>>;

const entries = z.array(z.string().min(1).max(MAX_ENTRY)).max(MAX_ENTRIES).optional();

/** Which files, hosts and programs a tool may use. An absent list says nothing; an empty one allows nothing. A denial always wins. */
export const Permissions = z.strictObject({
  /** Patterns of paths below the workspace; one that begins with `!` denies. */
  filesystem: z.strictObject({ read: entries, write: entries }).optional(),
  network: z.strictObject({ allow: entries, deny: entries }).optional(),
  shell: z.strictObject({ enabled: z.boolean().optional(), allow: entries, deny: entries }).optional(),
});
export type Permissions = Readonly<z.infer<typeof Permissions>>;

/** An agent: its instructions, its model and what it may use. */
export const AgentSpec = z.strictObject({
  id: ManifestId,
  description: Description.optional(),
  instructions: z.string().min(1).max(MAX_INSTRUCTIONS),
  model: Name.describe('A model of this file, by its id; without models here, one of the village by its name.'),
  context: ManifestId.optional().describe('A context profile of memory.yaml.'),
  tools: z.array(ManifestId).max(MAX_ENTRIES).default([]).describe('Tools of tools.yaml.'),
  output: JsonSchema.optional().describe('The JSON Schema of its output; without it, the output is text.'),
  budget: BudgetSpec.optional(),
  permissions: Permissions.optional(),
});
export type AgentSpec = Readonly<z.infer<typeof AgentSpec>>;

/** `agents.yaml`. */
export const AgentsManifest = z.strictObject({
  models: z.array(ModelSpec).max(MAX_LIST).default([]),
  agents: z.array(AgentSpec).max(MAX_LIST).default([]),
});
export type AgentsManifest = Readonly<z.infer<typeof AgentsManifest>>;

/** The tools that the engine has itself. */
const BUILT_IN_TOOLS = ['filesystem.read_file', 'filesystem.write_file', 'filesystem.list', 'command.run'] as const;

const tool = {
  id: ManifestId,
  ask: z.boolean().default(false).describe('A person must allow each call; the task waits for the answer.'),
  risk: z.enum(['low', 'medium', 'high']).default('low').describe('Telemetry reports calls of tools with a high risk.'),
  permissions: Permissions.optional(),
  timeout_s: z.number().min(0.001).max(MAX_TIMEOUT_S).default(30),
};

/** A tool: one that the engine has, or a handler that a program registers under the tool's id. */
export const ToolSpec = z.discriminatedUnion('uses', [
  z.strictObject({ ...tool, uses: z.enum(BUILT_IN_TOOLS), description: Description.optional() }),
  z.strictObject({
    ...tool,
    uses: z.literal('handler'),
    description: Description.min(1),
    effect: z
      .enum(['read', 'idempotent', 'keyed', 'once'])
      .default('once')
      .describe(
        'Decides about a call whose end a crash hid: read, idempotent and keyed ones run again, once asks a person.',
      ),
    input: JsonSchema,
    output: JsonSchema.optional(),
  }),
]);
export type ToolSpec = Readonly<z.infer<typeof ToolSpec>>;

/** `tools.yaml`. */
export const ToolsManifest = z.strictObject({
  permissions: Permissions.optional().describe('For all tools; those of an agent, and of a tool, narrow them.'),
  tools: z.array(ToolSpec).max(MAX_LIST).default([]),
});
export type ToolsManifest = Readonly<z.infer<typeof ToolsManifest>>;

/** `workflow.yaml`. */
export const WorkflowManifest = z.strictObject({ workflow: WorkflowSpec });
export type WorkflowManifest = Readonly<z.infer<typeof WorkflowManifest>>;

/** `pipelines.yaml`. Without pipelines, `default` takes every task. */
export const PipelinesManifest = z.strictObject({ pipelines: z.array(PipelineSpec).max(MAX_ENTRIES).default([]) });
export type PipelinesManifest = Readonly<z.infer<typeof PipelinesManifest>>;

/** `memory.yaml`. */
export const MemoryManifest = z.strictObject({
  /** Folders below the data folder of the task. */
  stores: z.strictObject({ root: RelativePath.default('memory') }).default({ root: 'memory' }),
  context_profiles: z
    .array(z.strictObject({ id: ManifestId, ...ContextProfile.shape }))
    .max(MAX_LIST)
    .default([]),
});
export type MemoryManifest = Readonly<z.infer<typeof MemoryManifest>>;

/** A plugin. `cost_tracking` is the engine's own; a program registers others under the name in `uses`. */
const PluginSpec = z.strictObject({
  id: ManifestId,
  uses: ManifestId,
  config: z.record(z.string().max(MAX_NAME), z.unknown()).default({}),
});

/** Where telemetry goes. Paths are below the data folder. */
const SinkSpec = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('memory') }),
  z.strictObject({ type: z.literal('stdout') }),
  z.strictObject({ type: z.literal('jsonl'), path: RelativePath }),
  z.strictObject({ type: z.literal('prometheus'), path: RelativePath }),
  z.strictObject({ type: z.literal('otlp'), endpoint: HttpUrl }),
]);

/** `plugins.yaml`. */
export const PluginsManifest = z.strictObject({
  plugins: z.array(PluginSpec).max(MAX_ENTRIES).default([]),
  telemetry: z
    .strictObject({
      sinks: z.array(SinkSpec).max(MAX_ENTRIES).default([]),
      /** Paths of fields whose values no sink gets; `*` stands for any one key. */
      redact: z
        .array(
          z
            .string()
            .regex(/^(?:[\w-]{1,64}|\*)(?:\.(?:[\w-]{1,64}|\*)){0,19}$/, 'expected a path such as input.secret'),
        )
        .max(MAX_ENTRIES)
        .default([]),
    })
    .default({ sinks: [], redact: [] }),
});
export type PluginsManifest = Readonly<z.infer<typeof PluginsManifest>>;

/** `overrides.yaml`: the overrides of every task. */
export const OverridesManifest = z.strictObject({ overrides: z.array(Override).max(MAX_ENTRIES).default([]) });
export type OverridesManifest = Readonly<z.infer<typeof OverridesManifest>>;
