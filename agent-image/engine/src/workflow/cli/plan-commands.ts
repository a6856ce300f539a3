import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadManifests } from '../manifest/load-manifests.ts';
import { compilePlan } from '../plan/compile-plan.ts';
import type { ConfigError } from '../plan/config-error.ts';
import type { Flags } from './command-line.ts';
import { configErrorText } from './config-error-text.ts';
import { manifestsText, summaryOfManifests } from './manifests-text.ts';
import { machineFault } from './machine-fault.ts';
import { EXIT, type ExitCode, type Terminal } from './terminal.ts';

type Asked = Readonly<{ dir: string; flags: Pick<Flags, 'json' | 'output' | 'pipeline'> }>;

/** Prints errors of manifests: with their lines for people, as one line of JSON for programs. */
export function refuseConfig(
  errors: readonly ConfigError[],
  { dir, flags }: Asked,
  terminal: Pick<Terminal, 'out' | 'err'>,
): ExitCode {
  if (flags.json) terminal.out(`${JSON.stringify({ ok: false, errors })}\n`);
  else terminal.err(configErrorText(errors, dir, (file) => textOf(join(dir, file))));
  return EXIT.wrong;
}

/** Null for a file that is missing: its error has no line to show. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** `validate`: checks all manifests, and says what they describe. */
export async function validateCommand(asked: Asked, terminal: Terminal): Promise<ExitCode> {
  const loaded = await loadManifests(asked.dir);
  if (!loaded.ok) return refuseConfig(loaded.errors, asked, terminal);
  const found = summaryOfManifests(loaded.value);
  terminal.out(asked.flags.json ? `${JSON.stringify({ ok: true, ...found })}\n` : `${manifestsText(found)}\n`);
  return EXIT.done;
}

/** `graph`: draws a pipeline, by default the first one. For programs it prints the plan instead. */
export async function graphCommand(asked: Asked, terminal: Terminal): Promise<ExitCode> {
  const loaded = await loadManifests(asked.dir);
  if (!loaded.ok) return refuseConfig(loaded.errors, asked, terminal);
  const plan = compilePlan(loaded.value, asked.flags.pipeline ?? loaded.value.pipelines[0]?.id ?? '');
  if (!plan.ok) return refuseConfig(plan.errors, asked, terminal);
  const { json, output } = asked.flags;
  if (json) terminal.out(`${JSON.stringify(plan.value)}\n`);
  if (json && output === null) return EXIT.done;
  // The layout is loaded by this command alone.
  const { drawPlan } = await import('../graph/draw-plan.ts');
  const svg = drawPlan(plan.value);
  if (output !== null) return writePicture(output, svg, terminal);
  terminal.out(svg);
  return EXIT.done;
}

async function writePicture(path: string, svg: string, terminal: Terminal): Promise<ExitCode> {
  try {
    await writeFile(path, svg);
  } catch (error) {
    const fault = machineFault(error);
    if (fault === null) throw error;
    terminal.err(`--output ${path} cannot be written: ${fault}\n`);
    return EXIT.wrong;
  }
  terminal.err(`wrote ${path}\n`);
  return EXIT.done;
}
