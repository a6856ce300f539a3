import { join } from 'node:path';
import { z } from 'zod';

/** Where things lie when nothing else is said; the folders are those of the agent's image and volume. */
const SEED_FILE = join(import.meta.dirname, '../../memory-seed.json');

const Environment = z
  .object({
    HAMLET_API_URL: z
      .url({ protocol: /^https?$/ })
      .describe('Origin of the api, for example http://hamlet-api-agents:8081'),
    HAMLET_AGENT_ID: z.string().min(1).max(63).describe('The name of the Agent'),
    HAMLET_CYCLE: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe('The run cycle of this process; asked of the api where it is left out'),
    HAMLET_TOKEN_FILE: z
      .string()
      .optional()
      .describe('File of the projected service account token, traded for an agent token'),
    HAMLET_AGENT_TOKEN: z
      .string()
      .min(1)
      .optional()
      .describe('An agent token to use as it is, instead of HAMLET_TOKEN_FILE'),
    HAMLET_NODE_NAME: z.string().optional().describe('The node, for the log'),
    HAMLET_STATE_DIR: z.string().default('/var/lib/hamlet').describe('Folder of the lock'),
    HAMLET_MEMORY_DIR: z.string().default('/root/.mcp-memory').describe('Folder of the memory'),
    HAMLET_WORKSPACE_DIR: z.string().default('/workspace').describe('Folder that the runtime works in'),
    HAMLET_MEMORY_SEED: z.string().default(SEED_FILE).describe('What a new agent knows'),
  })
  .refine((env) => (env.HAMLET_TOKEN_FILE === undefined) !== (env.HAMLET_AGENT_TOKEN === undefined), {
    message: 'set one of HAMLET_TOKEN_FILE and HAMLET_AGENT_TOKEN',
  });
export type Environment = z.infer<typeof Environment>;

export type ParsedEnvironment = { ok: true; env: Environment } | { ok: false; message: string };

/** Reads the environment once, at the start; the message names every variable that is wrong. */
export function parseEnvironment(variables: NodeJS.ProcessEnv): ParsedEnvironment {
  const parsed = Environment.safeParse(variables);
  if (parsed.success) return { ok: true, env: parsed.data };
  const lines = parsed.error.issues.map(({ path, message }) => [...path, message].join(': '));
  return { ok: false, message: lines.join('\n') };
}

/** What `--help` prints. */
export function helpText(): string {
  const variables = Object.entries(Environment.shape).map(
    ([name, schema]) => `  ${name.padEnd(21)} ${describe(schema)}`,
  );
  return [
    'resident: the process of one agent. It connects to the village, lives there, and writes one line of JSON for each turn.',
    '',
    'Usage: node agent-image/resident/src/main.ts [--help]',
    '',
    'Environment:',
    ...variables,
    '',
    'Ends with 0 when it is told to (SIGTERM) or when a newer run cycle of its agent has begun,',
    'with 2 when the environment is wrong, with 1 on any other failure.',
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
