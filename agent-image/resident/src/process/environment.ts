import { join } from 'node:path';
import { z } from 'zod';

const SEED_FILE = join(import.meta.dirname, '../../../memory-seed.json');

const Environment = z
  .object({
    HAMLET_API_URL: z
      .url({ protocol: /^https?$/ })
      .describe('Origin of the API, for example http://hamlet-api-agents:8081'),
    HAMLET_AGENT_ID: z.string().min(1).max(63).describe('The name of the Agent'),
    HAMLET_CYCLE: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe('The cycle of this process; default: the cycle that the API knows'),
    HAMLET_TOKEN_FILE: z
      .string()
      .optional()
      .describe('File of the projected service account token, which is exchanged for an agent token'),
    HAMLET_AGENT_TOKEN: z.string().min(1).optional().describe('An agent token, instead of HAMLET_TOKEN_FILE'),
    HAMLET_NODE_NAME: z.string().optional().describe('Name of the node, for the log'),
    HAMLET_STATE_DIR: z.string().default('/var/lib/hamlet').describe('Folder of the lock'),
    HAMLET_MEMORY_DIR: z.string().default('/root/.mcp-memory').describe('Folder of the memory'),
    HAMLET_WORKSPACE_DIR: z.string().default('/workspace').describe('Folder of the runtime'),
    HAMLET_HANDS_SOCKET: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Socket of the hands, where programs run; without it the agent has no tools of the hands and no runtime command',
      ),
    HAMLET_BROKER_URL: z
      .url({ protocol: /^http$/ })
      .optional()
      .describe(
        'Origin of the broker, for example http://hamlet-broker:3128; without it the pod reaches the API alone',
      ),
    HAMLET_HANDS_WORKSPACE: z.string().default('/workspace').describe('Folder of the work in the hands'),
    HAMLET_HANDS_HOME: z.string().default('/root').describe('Home folder in the hands'),
    HAMLET_GIT_SUFFIX: z
      .string()
      .max(64)
      .default('(Harvest)')
      .describe('Text after the name of the agent in the author of its commits'),
    HAMLET_SKILLS_DIR: z.string().default('/app/skills').describe('Folder of the skills of the image'),
    HAMLET_MEMORY_SEED: z.string().default(SEED_FILE).describe('File with the memory of a new agent'),
  })
  .refine((env) => (env.HAMLET_TOKEN_FILE === undefined) !== (env.HAMLET_AGENT_TOKEN === undefined), {
    message: 'set either HAMLET_TOKEN_FILE or HAMLET_AGENT_TOKEN, not both',
  });
export type Environment = z.infer<typeof Environment>;

export type ParsedEnvironment = { ok: true; env: Environment } | { ok: false; message: string };

export function parseEnvironment(variables: NodeJS.ProcessEnv): ParsedEnvironment {
  const parsed = Environment.safeParse(variables);
  if (parsed.success) return { ok: true, env: parsed.data };
  const lines = parsed.error.issues.map(({ path, message }) => [...path, message].join(': '));
  return { ok: false, message: lines.join('\n') };
}

export function helpText(): string {
  const variables = Object.entries(Environment.shape).map(
    ([name, schema]) => `  ${name.padEnd(21)} ${describe(schema)}`,
  );
  return [
    'resident: the process of one agent. It connects to the API, runs the agent, and logs one line of JSON for each turn.',
    '',
    'Usage: node agent-image/resident/src/main.ts [--help]',
    '',
    'Environment:',
    ...variables,
    '',
    'Exit code: 0 after SIGTERM and when a newer cycle of its agent has begun, 2 for a wrong environment, 1 otherwise',
    'failure.',
    '',
  ].join('\n');
}

function describe(schema: z.ZodType): string {
  const fallback =
    schema instanceof z.ZodDefault && schema !== Environment.shape.HAMLET_MEMORY_SEED
      ? ` (default ${String(schema.def.defaultValue)})`
      : '';
  return `${schema.description ?? ''}${fallback}`;
}
