/** The supervisor of tools, `hamlet-hands`, for the agent image. Go builds it for every architecture without a compiler of C. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import { CACHE, ROOT } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import type { Architecture } from './architecture.ts';
import { hashSources } from './context.ts';

const MODULE = join(ROOT, 'agent-image/supervisor');
const FLAGS = ['-trimpath', '-ldflags', '-s -w'];

/** A folder with the program for an architecture, built once for each state of its sources. */
export async function handsProgram(architecture: Architecture, { log, doing }: StepContext): Promise<string> {
  const key = hashSources([{ from: MODULE, to: '.' }], [architecture, ...FLAGS]);
  const folder = join(CACHE, 'images/hands', `${key}-${architecture}`);
  if (existsSync(folder)) return folder;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  doing(`hamlet-hands for ${architecture}`);
  await run('go', ['build', ...FLAGS, '-o', join(part, 'hamlet-hands'), './cmd/hamlet-hands'], {
    cwd: MODULE,
    env: { CGO_ENABLED: '0', GOOS: 'linux', GOARCH: architecture },
    log,
    fix: 'install Go 1.26 or newer (https://go.dev/dl)',
  });
  renameSync(part, folder);
  return folder;
}
