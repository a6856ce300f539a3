/** One package of the lock file for an architecture that is not this machine's, which npm does not install here. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../command.ts';
import { Failure } from '../../failure.ts';
import { CACHE, ROOT } from '../../paths.ts';
import type { StepContext } from '../../steps.ts';

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
}

/** The folder of the package in the version that the lock file names, checked against the lock file's hash. */
export async function npmPackage(name: string, { log, doing }: StepContext): Promise<string> {
  const locked = (JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock).packages[
    `node_modules/${name}`
  ];
  if (locked === undefined) throw new Failure(`package-lock.json has no ${name}`, 'npm install --package-lock-only');
  const installed = join(ROOT, 'node_modules', name);
  if (existsSync(installed)) return installed;
  const folder = join(CACHE, 'images/npm', `${name.replace('@', '').replaceAll('/', '-')}-${locked.version}`);
  if (existsSync(folder)) return folder;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  doing(`npm package ${name}`);
  const said = await run('npm', ['pack', `${name}@${locked.version}`, '--pack-destination', part, '--silent'], { log });
  const archive = join(part, said.split('\n').at(-1) ?? '');
  const hash = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (hash !== locked.integrity)
    throw new Failure(
      `${name}@${locked.version} is not what package-lock.json names: ${hash}`,
      'ask the registry of npm why, and do not go on',
    );
  await run('tar', ['-xzf', archive, '-C', part, '--strip-components=1'], { log });
  rmSync(archive);
  if (isAllowedToRun(name, part)) await run('npm', ['run', '--silent', 'postinstall'], { cwd: part, log });
  renameSync(part, folder);
  return folder;
}

/** Whether the package has something to do after it is unpacked, and the project lets it. */
function isAllowedToRun(name: string, folder: string): boolean {
  const [project, own] = [ROOT, folder].map(
    (each) => JSON.parse(readFileSync(join(each, 'package.json'), 'utf8')) as Manifest,
  );
  return project?.allowScripts?.[name] === true && own?.scripts?.['postinstall'] !== undefined;
}
