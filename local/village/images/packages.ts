/** The npm packages of an image. The machine's npm installs them, with its registry, proxy and certificates. */
import { globSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from '../command.ts';
import { CACHE, ROOT } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import { NAMES, hostArchitecture, type Architecture } from './architecture.ts';
import { cachedFolder, hashSources, stageSources, type Source } from './context.ts';
import { manifestSources } from './recipe.ts';

const FLAGS = '--omit=dev --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error'.split(' ');

/** The installed packages of workspaces for an architecture. The cache stores them under a hash of the manifests. */
export async function packageSource(
  workspaces: readonly string[],
  context: StepContext,
  architecture: Architecture = hostArchitecture(),
): Promise<Source> {
  const { npm } = NAMES[architecture];
  const key = hashSources(manifestSources(), [...workspaces, npm, 'without what only a developer reads']);
  const folder = join(
    CACHE,
    'images/packages',
    `${workspaces.map((name) => name.replace('@hamlet/', '')).join('-')}-${key}`,
  );
  await cachedFolder(folder, async (part) => {
    stageSources(manifestSources(), part);
    const platform = ['--os=linux', `--cpu=${npm}`, '--libc=glibc'];
    const chosen = workspaces.map((name) => `--workspace=${name}`);
    await run('npm', ['ci', ...FLAGS, ...platform, ...chosen], { ...context, cwd: part });
    removeUnread(part, `linux-${npm}`);
  });
  return { from: folder, to: '.', whole: true };
}

/**
 * The installed packages of a folder with a package.json and a lock file of its own. The cache stores them under a hash
 * of both.
 */
export async function packagesOf(folder: string, to: string, context: StepContext): Promise<Source> {
  const files = ['package.json', 'package-lock.json', '.npmrc'];
  const sources = files.map((file) => ({ from: join(file === '.npmrc' ? ROOT : folder, file), to: file }));
  const cached = join(CACHE, 'images/packages', `${basename(folder)}-${hashSources(sources, [])}`);
  await cachedFolder(cached, async (part) => {
    stageSources(sources, part);
    await run('npm', ['ci', ...FLAGS], { ...context, cwd: part });
  });
  return { from: join(cached, 'node_modules'), to, whole: true };
}

/** Programs read none of these files, which are half of all: types, source maps, sources and musl parts of native code. */
const UNREAD = ['*.d.{ts,cts,mts}', '*.map', '*.musl.node', 'tree-sitter-bash/src'];

/** Removes unread files, and native parts for other platforms: the images have glibc. */
function removeUnread(root: string, platform: string): void {
  const natives = globSync('**/node_modules/**/prebuilds/*', { cwd: root });
  const others = natives.filter((folder) => basename(folder) !== platform);
  const unread = globSync(
    UNREAD.map((pattern) => `**/node_modules/**/${pattern}`),
    { cwd: root },
  );
  for (const path of [...others, ...unread]) rmSync(join(root, path), { recursive: true, force: true });
}
