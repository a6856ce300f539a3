import { ArgumentLines, programSettings, TimeoutSeconds, VariableLines } from '@hamlet/engine';
import { z } from 'zod';

const Settings = z
  .strictObject({
    /** A known program, which the village installs and starts. */
    preset: z.string().trim().min(1).optional(),
    command: z.string().trim().min(1).optional(),
    args: ArgumentLines,
    env: VariableLines,
    /** The folder of a session; the run's work tree by default. */
    cwd: z.string().startsWith('/').optional(),
    /** The mode of a session; that of the preset by default. */
    mode: z.string().trim().min(1).max(100).optional(),
    timeout_s: TimeoutSeconds,
  })
  .refine(({ preset, command }) => (preset === undefined) !== (command === undefined), {
    path: ['command'],
    message: 'write either preset or command',
  });
export type AcpSettings = Readonly<z.infer<typeof Settings>>;

/** `spec.runtime.config` of the runtime `acp`. Throws `RunFailure` with the field and the fix. */
export const acpSettings = (config: Readonly<Record<string, unknown>>): AcpSettings =>
  programSettings(Settings, config, 'acp_misconfigured');

/** The folder of a session in a work tree. */
export const sessionFolder = ({ cwd }: AcpSettings, tree: string): string => cwd ?? tree;
