/** Debian packages for another architecture, through the machine's apt with separate lists. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../command.ts';
import { CACHE } from '../../paths.ts';
import type { StepContext } from '../../steps.ts';
import { NAMES, hostArchitecture, type Architecture } from '../architecture.ts';

/** Names of the installed packages of a root. */
export const installedPackages = (root: string): readonly string[] => namesIn(join(root, 'var/lib/dpkg/status'));

/** Names of the explicitly installed packages of a root, without their dependencies. */
export function requestedPackages(root: string): readonly string[] {
  const automatic = new Set(namesIn(join(root, 'var/lib/apt/extended_states')));
  return installedPackages(root).filter((name) => !automatic.has(name));
}

/**
 * Downloads packages of another architecture with their dependencies, from the mirrors that an image's root names.
 * Returns their files. Lists, records and store are separate from the machine's; apt's error names a missing package.
 */
export async function fetchPackages(
  { architecture, root }: { readonly architecture: Architecture; readonly root: string },
  names: readonly string[],
  context: StepContext,
): Promise<readonly string[]> {
  const folder = join(CACHE, 'images/apt', architecture);
  for (const each of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(join(folder, 'none-installed'), '');
  const settings = {
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Install-Recommends': 'false',
    'APT::Keep-Downloaded-Packages': 'true',
    // The store belongs to root, and the user _apt cannot write to it.
    'APT::Sandbox::User': 'root',
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': join(folder, 'none-installed'),
    'Dir::Cache': join(folder, 'cache'),
    'Dir::Etc::sourcelist': join(root, 'etc/apt/sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Dir::Etc::trustedparts': join(root, 'etc/apt/trusted.gpg.d'),
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  const apt = async (...args: readonly string[]): Promise<string> =>
    run('apt-get', [...options, '-q', ...args], {
      ...context,
      env: { LC_ALL: 'C' },
      fix: 'apt needs a Debian mirror: set DEBIAN_MIRROR to one that this machine can reach',
    });
  context.doing(`package lists of ${architecture}`);
  await apt('update');
  const simulated = await apt('-s', 'install', ...names);
  const files = [...simulated.matchAll(/^Inst (\S+) \((\S+) .*\[(\w+)\]\)/gm)].map(([, name, version = '', each]) =>
    join(folder, 'cache/archives', `${name}_${version.replaceAll(':', '%3a')}_${each}.deb`),
  );
  if (files.some((file) => !existsSync(file))) {
    context.doing(`downloading ${files.length} packages`);
    await apt('-y', '--download-only', 'install', ...names);
  }
  return files;
}

/** The name of a package for another architecture: the name of a cross tool contains its architecture. */
export function nameFor(architecture: Architecture, name: string): string {
  const [from, to] = [hostArchitecture(), architecture].map((each) => NAMES[each].triplet.replaceAll('_', '-'));
  return name.replace(`-${from}`, `-${to}`);
}

/** Marks the packages of a root as automatic, as apt does, except those that were requested. */
export function writeAutomatic(root: string, architecture: Architecture, requested: readonly string[]): void {
  const explicit = new Set(requested);
  const automatic = installedPackages(root).filter((name) => !explicit.has(name));
  mkdirSync(join(root, 'var/lib/apt'), { recursive: true });
  writeFileSync(
    join(root, 'var/lib/apt/extended_states'),
    automatic.map((name) => `Package: ${name}\nArchitecture: ${architecture}\nAuto-Installed: 1\n\n`).join(''),
  );
}

function namesIn(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  return [...readFileSync(file, 'utf8').matchAll(/^Package: (\S+)$/gm)].map(([, name = '']) => name);
}
