/** Derives an image for another architecture from this machine's image, without running programs of the other architecture. */
import { cpSync, lstatSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { run } from '../../command.ts';
import { Failure } from '../../failure.ts';
import type { StepContext } from '../../steps.ts';
import { NAMES, type Architecture } from '../architecture.ts';
import { buildah } from '../buildah.ts';
import { configure, copyFile } from './configure.ts';
import { fetchPackages, installedPackages, nameFor, requestedPackages, writeAutomatic } from './debian-packages.ts';
import { elfMachineOf } from './elf.ts';
import { replacementsOf, type Replacement } from './replacements.ts';
import { walkTree } from './tree.ts';

export interface Transposition {
  /** The image of this machine's architecture. */
  readonly native: string;
  readonly architecture: Architecture;
  readonly name: string;
  /** The base: an image of the other architecture, whose layers the result shares. Undefined for none. */
  readonly base: string | undefined;
  readonly workspaces?: readonly string[] | undefined;
}

interface ImageConfig {
  readonly config: {
    readonly Env?: readonly string[];
    readonly Cmd?: readonly string[];
    readonly Entrypoint?: readonly string[];
    readonly User?: string;
    readonly WorkingDir?: string;
    readonly ExposedPorts?: Readonly<Record<string, object>>;
    readonly StopSignal?: string;
  };
}

/** Builds one image as one layer over its base: packages of the other architecture, configured like the native image. */
export async function transpose(wanted: Transposition, context: StepContext): Promise<void> {
  const { native, architecture, name, base = 'scratch' } = wanted;
  const platform = ['--arch', architecture, '--os', 'linux'];
  const { config } = (JSON.parse(await buildah(['inspect', '--type', 'image', native])) as { OCIv1: ImageConfig })
    .OCIv1;
  await withRoot(native, [], async (nativeRoot) => {
    await withRoot(base, platform, async (root, container) => {
      await assemble(wanted, { native: nativeRoot, root }, context);
      refuseOtherMachines(root, wanted);
      context.doing(`${name}: writing the image`);
      await buildah(['config', ...platform, ...flagsOf(config), container]);
      await buildah(['commit', '--quiet', container, name], { log: context.log });
    });
  });
}

async function assemble(
  { architecture, name, workspaces }: Transposition,
  { native, root }: { native: string; root: string },
  context: StepContext,
): Promise<void> {
  const requested = requestedPackages(native).map((each) => nameFor(architecture, each));
  const there = new Set(installedPackages(root));
  const packages = (await fetchPackages({ architecture, root: native }, requested, context)).filter(
    (file) => !there.has(basename(file).replace(/_.*/, '')),
  );
  context.doing(`${name}: unpacking ${packages.length} packages of ${architecture}`);
  await run('bash', [join(import.meta.dirname, 'unpack.sh'), root, ...packages], { log: context.log });
  const replacements = await replacementsOf({ architecture, native, workspaces }, context);
  const isReplaced = (path: string): boolean =>
    replacements.some((each) => path === each.path || path.startsWith(`${each.path}/`));
  configure({ native, target: root, isReplaced });
  writeAutomatic(root, architecture, requested);
  for (const replacement of replacements) replace(root, replacement);
}

function replace(root: string, { path, from }: Replacement): void {
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new Failure(
      `${path} of the image has no counterpart at ${from}`,
      'add its source to local/village/images/foreign/replacements.ts',
    );
  const to = join(root, path);
  mkdirSync(dirname(to), { recursive: true });
  if (stats.isFile()) copyFile(from, to);
  else cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

/** Throws if the image contains a program for another architecture. */
function refuseOtherMachines(root: string, { architecture, name }: Transposition): void {
  const wanted = NAMES[architecture].elfMachine;
  for (const { path, stats } of walkTree(root)) {
    const machine = stats.isFile() ? elfMachineOf(join(root, path)) : undefined;
    if (machine === undefined || machine === wanted) continue;
    throw new Failure(
      `${name} would contain ${path}, which is not for ${architecture} (ELF machine ${machine})`,
      'add its source to local/village/images/foreign/replacements.ts',
    );
  }
}

function flagsOf({
  Env = [],
  Cmd,
  Entrypoint,
  User,
  WorkingDir,
  ExposedPorts = {},
  StopSignal,
}: ImageConfig['config']): readonly string[] {
  const optional = (flag: string, value: string | undefined): string[] =>
    value === undefined || value === '' ? [] : [flag, value];
  return [
    ...Env.flatMap((each) => ['--env', each]),
    ...Object.keys(ExposedPorts).flatMap((port) => ['--port', port]),
    ...optional('--entrypoint', Entrypoint === undefined ? undefined : JSON.stringify(Entrypoint)),
    ...optional('--cmd', Cmd === undefined ? undefined : JSON.stringify(Cmd)),
    ...optional('--user', User),
    ...optional('--workingdir', WorkingDir),
    ...optional('--stop-signal', StopSignal),
  ];
}

/** Runs `work` on the mounted root of a container of the image, and removes the container. */
export async function withRoot(
  image: string,
  flags: readonly string[],
  work: (root: string, container: string) => Promise<void>,
): Promise<void> {
  const container = await buildah(['from', '--pull-never', ...flags, image]);
  try {
    await work(await buildah(['mount', container]), container);
  } finally {
    await buildah(['rm', container]);
  }
}
