/**
 * The supervisor of tools, `hamlet-hands`, for the agent image. Go builds it for every architecture without a C
 * compiler.
 */
import { join } from 'node:path';
import { run } from '../command.ts';
import { GO_FLAGS } from '../go-flags.ts';
import { CACHE, ROOT } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import type { Architecture } from './architecture.ts';
import { cachedFolder, hashSources } from './context.ts';

const MODULE = join(ROOT, 'agent-image/supervisor');
const FLAGS = [...GO_FLAGS, '-ldflags', '-s -w'];

/** A folder with the program for an architecture, built once for each state of its sources. */
export async function handsProgram(architecture: Architecture, { log, doing }: StepContext): Promise<string> {
  const key = hashSources([{ from: MODULE, to: '.' }], [architecture, ...FLAGS]);
  return cachedFolder(join(CACHE, 'images/hands', `${key}-${architecture}`), async (part) => {
    doing(`hamlet-hands for ${architecture}`);
    await run('go', ['build', ...FLAGS, '-o', join(part, 'hamlet-hands'), './cmd/hamlet-hands'], {
      cwd: MODULE,
      env: { CGO_ENABLED: '0', GOOS: 'linux', GOARCH: architecture },
      log,
      fix: 'install Go 1.26 or newer (https://go.dev/dl)',
    });
  });
}
