/** The operator before its last change: the version that an upgrade replaces. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGES = ['operator', 'kube', 'api/contract', 'api/core'];
/** Tests are not part of a version. */
const SOURCES = [...PACKAGES, ':(exclude,glob)**/*.test.ts', ':(exclude,glob)**/testing/**'];
const ARCHIVE_LIMIT_BYTES = 256 << 20;

export interface VersionBefore {
  readonly commit: string;
  /** The operator's main file. */
  readonly main: string;
  remove(): void;
}

/**
 * Unpacks the newest commit whose operator differs from the work tree's, with the npm packages that are installed
 * here. Undefined when git does not have that commit: in a shallow clone, or without a repository.
 */
export function versionBefore(): VersionBefore | undefined {
  const commit = commitBefore();
  if (commit === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-test-before-'));
  const archive = execFileSync('git', ['archive', commit, ...PACKAGES, 'package.json'], {
    cwd: ROOT,
    maxBuffer: ARCHIVE_LIMIT_BYTES,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  linkPackages(folder);
  return {
    commit,
    main: join(folder, 'operator/src/main.ts'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function commitBefore(): string | undefined {
  try {
    if (git('status', '--porcelain', '--untracked-files=no', '--', ...SOURCES) !== '') return git('rev-parse', 'HEAD');
    const newest = git('log', '-1', '--format=%H', '--', ...SOURCES);
    // The oldest commit of a shallow clone has no parent, and looks like a commit that changed everything.
    return git('rev-parse', '--verify', '--quiet', `${newest}^`);
  } catch {
    return undefined;
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** Links the packages: the project's own packages are those of the commit, all others are the installed ones. */
function linkPackages(folder: string): void {
  const [installed, linked] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(join(linked, '@hamlet'), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (!name.startsWith('.') && name !== '@hamlet') symlinkSync(join(installed, name), join(linked, name));
  }
  for (const path of PACKAGES) symlinkSync(join(folder, path), join(linked, '@hamlet', path.replace('api/', '')));
}
