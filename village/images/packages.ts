/** The npm packages of an image, installed on the machine: its npm knows the registry, the proxy and the certificates to trust. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import { CACHE } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import { hashSources, stageSources, type Source } from './context.ts';
import { manifestSources } from './recipe.ts';

const NPM_CI = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

/** What one workspace needs to run, laid over a build context; kept in the cache by a hash of the manifests. */
export async function packageSource(workspace: string, { log, doing }: StepContext): Promise<Source> {
  const folder = join(CACHE, 'images/packages', `${workspace.replace('@hamlet/', '')}-${hashSources(manifestSources(), [workspace, process.arch])}`);
  if (!existsSync(folder)) {
    const part = `${folder}.part`;
    stageSources(manifestSources(), part);
    await run('npm', [...NPM_CI, `--workspace=${workspace}`], { cwd: part, log, onLine: doing });
    rmSync(folder, { recursive: true, force: true });
    renameSync(part, folder);
  }
  return { from: folder, to: '.', whole: true };
}
