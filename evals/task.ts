/** Tasks in Harbor's layout: instruction.md, task.toml, environment/, tests/test.sh, solution/solve.sh. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readBuild, type Build } from './build-steps.ts';
import { readToml } from './read-toml.ts';

const Seconds = z.number().min(1).max(43_200);

/** The part of task.toml that the runner reads. docs/EVALS.md explains `hamlet`, which Harbor ignores. */
const Settings = z.object({
  metadata: z.object({ category: z.string().default('other') }).prefault({}),
  agent: z.object({ timeout_sec: Seconds.default(3_600) }).prefault({}),
  verifier: z.object({ timeout_sec: Seconds.default(600) }).prefault({}),
  hamlet: z
    .strictObject({
      before: z.string().optional(),
      deny: z.string().optional(),
      deny_if: z
        .string()
        .default('')
        .transform((text) => new RegExp(text)),
      reboot_after_calls: z.int().min(1).optional(),
      server: z.string().optional(),
      workers: z.int().min(0).default(0),
    })
    .prefault({}),
});

export interface EvalTask {
  readonly name: string;
  readonly folder: string;
  readonly kind: string;
  readonly instruction: string;
  readonly build: Build;
  readonly agentS: number;
  readonly verifierS: number;
  readonly play: z.output<typeof Settings>['hamlet'];
}

/** A task that cannot run here, with the reason. */
export interface UnfitTask {
  readonly name: string;
  readonly why: string;
}

function readTask(folder: string, name: string): EvalTask | UnfitTask {
  const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
  try {
    const { metadata, agent, verifier, hamlet } = Settings.parse(readToml(text('task.toml')));
    const read = readBuild(text('environment/Dockerfile'));
    if ('why' in read) return { name, why: read.why };
    const limits = { agentS: agent.timeout_sec, verifierS: verifier.timeout_sec };
    const instruction = text('instruction.md').trim();
    return { name, folder, kind: metadata.category, instruction, build: read.build, ...limits, play: hamlet };
  } catch (error) {
    return { name, why: error instanceof z.ZodError ? `task.toml: ${z.prettifyError(error)}` : String(error) };
  }
}

/** The tasks of a folder by name; with `only`, those whose names contain one of these texts. */
export function readTasks(folder: string, only: readonly string[] = []): { tasks: EvalTask[]; unfit: UnfitTask[] } {
  const names = readdirSync(folder).filter((name) => only.length === 0 || only.some((part) => name.includes(part)));
  const read = names.toSorted().map((name) => readTask(join(folder, name), name));
  return { tasks: read.filter((task) => 'kind' in task), unfit: read.filter((task) => 'why' in task) };
}
