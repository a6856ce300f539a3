import { z } from 'zod';
import { RunFailure } from '../agent-runtime.ts';

const ARGUMENTS_MAX = 64;
const VARIABLES_MAX = 32;
const DEFAULT_TIMEOUT_S = 3_600;
const TIMEOUT_MAX_S = 86_400;

/** One entry a line; blank lines are left out. */
const lines = z
  .string()
  .default('')
  .transform((text) => text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()])));

const Variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*=/, 'write NAME=value')
  .transform((line): [name: string, value: string] => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  });

export const ArgumentLines = lines.pipe(z.array(z.string()).max(ARGUMENTS_MAX));
/** Variables of a program, one `NAME=value` a line. */
export const VariableLines = lines.pipe(z.array(Variable).max(VARIABLES_MAX));
export const TimeoutSeconds = z.coerce.number().int().min(1).max(TIMEOUT_MAX_S).default(DEFAULT_TIMEOUT_S);

/** Parses `spec.runtime.config` of a runtime that starts a program. Throws `RunFailure` with the code, the field and the fix. */
export function programSettings<S extends z.ZodType>(
  schema: S,
  config: Readonly<Record<string, unknown>>,
  code: string,
): z.output<S> {
  const parsed = schema.safeParse(config);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = ['spec.runtime.config', ...(issue?.path.slice(0, 1) ?? [])].join('.');
  throw new RunFailure(code, `${field}: ${issue?.message ?? 'wrong'}. Correct it in the Agent.`);
}

/** Replaces placeholders such as `{model}` by their values; unknown ones stay. Pure. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
  );
