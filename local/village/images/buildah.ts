/** buildah with a storage of its own in the cache, so that clearing the cache clears the images too. */
import { join } from 'node:path';
import { run, tryRun, type RunOptions } from '../command.ts';
import { CACHE } from '../paths.ts';

const STORAGE = ['--root', join(CACHE, 'images/storage'), '--runroot', join(CACHE, 'images/run')];
// The default isolation needs a container engine's cgroups; chroot works wherever root does.
const ENVIRONMENT = { BUILDAH_ISOLATION: 'chroot', STORAGE_DRIVER: process.env['STORAGE_DRIVER'] ?? 'overlay' };

/** Runs one buildah command; returns what it prints. */
export async function buildah(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const [verb = '', ...rest] = args;
  return run('buildah', [...STORAGE, verb, ...rest], { ...options, env: { ...ENVIRONMENT, ...options.env } });
}

/** Whether the storage holds an image of this name. */
export async function hasImage(name: string): Promise<boolean> {
  return (await tryRun('buildah', [...STORAGE, 'inspect', '--type', 'image', name], { env: ENVIRONMENT })).code === 0;
}

export interface DockerfileBuild {
  readonly name: string;
  readonly context: string;
  readonly dockerfile: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  /** Keeps each instruction as a layer for the next build: worth it where one is slow, and otherwise slower by a second each. */
  readonly keepsLayers?: boolean;
}

/** Builds a Dockerfile from images that are in the storage. */
export async function buildDockerfile(build: DockerfileBuild, options: RunOptions): Promise<void> {
  const args = Object.entries(build.buildArgs).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
  const layers = `--layers=${build.keepsLayers === true}`;
  await buildah(
    [
      'build',
      layers,
      '--pull-never',
      '--network',
      'host',
      '--tag',
      build.name,
      '--file',
      build.dockerfile,
      ...args,
      build.context,
    ],
    options,
  );
}
