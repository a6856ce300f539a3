import { RunFailure } from '@hamlet/engine';
import { z } from 'zod';

const MAX_ARGUMENTS = 64;
const MAX_VARIABLES = 32;
const DEFAULT_TIMEOUT_S = 3_600;
const MAX_TIMEOUT_S = 86_400;

/** One entry a line; blank lines are left out. */
const lines = z
  .string()
  .default('')
  .transform((text) => text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()])));

const Settings = z
  .strictObject({
    /** A known program, which the village installs and starts. */
    preset: z.string().trim().min(1).optional(),
    command: z.string().trim().min(1).optional(),
    args: lines.pipe(z.array(z.string()).max(MAX_ARGUMENTS)),
    env: lines.pipe(z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*=/, 'write NAME=value')).max(MAX_VARIABLES)),
    /** The folder of a session; the run's work tree by default. */
    cwd: z.string().startsWith('/').optional(),
    /** The mode of a session; that of the preset by default. */
    mode: z.string().trim().min(1).max(100).optional(),
    timeout_s: z.coerce.number().int().min(1).max(MAX_TIMEOUT_S).default(DEFAULT_TIMEOUT_S),
  })
  .refine(({ preset, command }) => (preset === undefined) !== (command === undefined), {
    path: ['command'],
    message: 'write either preset or command',
  });
export type AcpSettings = Readonly<z.infer<typeof Settings>>;

/** `spec.runtime.config` of the runtime `acp`. Throws `RunFailure` with the field and the fix. */
export function acpSettings(config: Readonly<Record<string, unknown>>): AcpSettings {
  const parsed = Settings.safeParse(config);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = ['spec.runtime.config', ...(issue?.path.slice(0, 1) ?? [])].join('.');
  throw new RunFailure('acp_misconfigured', `${field}: ${issue?.message ?? 'wrong'}. Correct it in the Agent.`);
}

/** The folder of a session in a work tree. */
export const sessionFolder = ({ cwd }: AcpSettings, tree: string): string => cwd ?? tree;
