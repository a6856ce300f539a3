/** buildah with its storage in the cache, so that clearing the cache also removes the images. */
import { join } from 'node:path';
import { run, tryRun, type RunOptions } from '../command.ts';
import { CACHE } from '../paths.ts';

const STORAGE = ['--root', join(CACHE, 'images/storage'), '--runroot', join(CACHE, 'images/run')];
// The default isolation needs the cgroups of a container engine; chroot needs only root.
const ENVIRONMENT = { BUILDAH_ISOLATION: 'chroot', STORAGE_DRIVER: process.env['STORAGE_DRIVER'] ?? 'overlay' };

export async function buildah(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const [verb = '', ...rest] = args;
  return run('buildah', [...STORAGE, verb, ...rest], { ...options, env: { ...ENVIRONMENT, ...options.env } });
}

/** Runs buildah. Returns true if it succeeded. */
export async function tryBuildah([verb = '', ...rest]: readonly string[]): Promise<boolean> {
  return (await tryRun('buildah', [...STORAGE, verb, ...rest], { env: ENVIRONMENT })).code === 0;
}

export const hasImage = async (name: string): Promise<boolean> => tryBuildah(['inspect', '--type', 'image', name]);

export interface DockerfileBuild {
  readonly name: string;
  readonly context: string;
  readonly dockerfile: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  /** The stage to build; the last one if undefined. */
  readonly target?: string;
  /** Caches each instruction as a layer. A layer costs a second, so this saves time only if an instruction is slow. */
  readonly keepsLayers?: boolean;
}

/** Builds a Dockerfile; its base images must be in the storage. */
export async function buildDockerfile(build: DockerfileBuild, options: RunOptions): Promise<void> {
  const args = Object.entries(build.buildArgs).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
  const flags = [`--layers=${build.keepsLayers === true}`, '--pull-never', '--network', 'host'];
  const target = build.target === undefined ? [] : ['--target', build.target];
  const input = ['--file', build.dockerfile, ...args, build.context];
  await buildah(['build', ...flags, ...target, '--tag', build.name, ...input], options);
}
