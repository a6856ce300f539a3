import { z } from 'zod';
import { RunFailure } from '../agent-runtime.ts';

const MAX_ARGUMENTS = 64;
const MAX_VARIABLES = 32;
const DEFAULT_FOLDER = '/workspace';
const DEFAULT_TIMEOUT_S = 3_600;
const MAX_TIMEOUT_S = 86_400;
/** In an argument, the place of the prompt. Without it the program reads the prompt from its standard input. */
const PROMPT = '{prompt}';

/** One entry a line; blank lines are left out. */
const lines = z
  .string()
  .default('')
  .transform((text) => text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()])));

const Settings = z.strictObject({
  command: z.string().trim().min(1),
  args: lines.pipe(z.array(z.string()).max(MAX_ARGUMENTS)),
  env: lines.pipe(z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*=/, 'write NAME=value')).max(MAX_VARIABLES)),
  cwd: z.string().startsWith('/').default(DEFAULT_FOLDER),
  /** Instead of the memory file of the run. */
  memory: z.string().startsWith('/').optional(),
  timeout_s: z.coerce.number().int().min(1).max(MAX_TIMEOUT_S).default(DEFAULT_TIMEOUT_S),
});
export type CommandSettings = z.infer<typeof Settings>;

export function commandSettings(config: Readonly<Record<string, unknown>>): CommandSettings {
  const parsed = Settings.safeParse(config);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = ['spec.runtime.config', ...(issue?.path.slice(0, 1) ?? [])].join('.');
  throw new RunFailure('command_misconfigured', `${field}: ${issue?.message ?? 'wrong'}. Correct it in the Agent.`);
}

/** Values that arguments may name in braces, and that the program also has as variables, in capitals. */
export type CommandValues = Readonly<Record<'prompt' | 'session_id' | 'repo_path' | 'memory_path', string>> &
  Readonly<Record<string, string>>;

export type CommandLine = Readonly<{
  argv: readonly [string, ...string[]];
  env: Readonly<Record<string, string>>;
  stdin: string;
}>;

/** The program with its arguments for one prompt. Each value stays within its argument: no shell reads it. */
export function commandLine(settings: CommandSettings, values: CommandValues): CommandLine {
  const { prompt, ...shared } = values;
  const args = settings.args.map((arg) =>
    arg.replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
    ),
  );
  const own = settings.env.map((line): [string, string] => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  });
  const named = Object.entries(shared).map(([name, value]): [string, string] => [name.toUpperCase(), value]);
  const takesArgument = settings.args.some((arg) => arg.includes(PROMPT));
  return {
    argv: [settings.command, ...args],
    env: Object.fromEntries([...named, ...own]),
    stdin: takesArgument ? '' : prompt,
  };
}
