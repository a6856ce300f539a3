import type { InstallInput, PackageManager } from '@hamlet/contract';
import { shellLine } from '../policy/shell-line.ts';

/** Processes of one call, each as a list of arguments without a shell. */
export interface InstallPlan {
  /** Updates the list of packages; null if the manager does so by itself. */
  readonly update: readonly string[] | null;
  readonly install: readonly string[];
  /** Fetches the dependencies of the project; null if `install` does so. */
  readonly fetch: readonly string[] | null;
  /** Lists the installed packages, for {@link installedIn}. */
  readonly list: readonly string[];
}

export type InstallCall = Pick<InstallInput, 'manager' | 'packages'>;

/** `hasVenv`: the folder has a virtual environment in `.venv`. `crates`: the index of crates, as the broker serves it. */
interface InstallPlace {
  readonly hasVenv: boolean;
  readonly crates: string;
}

/** `--no-remove`: installing must not remove packages. `Pattern-Only`: a name is never a pattern. */
const APT = ['-q', '-o', 'DPkg::Lock::Timeout=60'];
const APT_OPTIONS = ['-o', 'APT::Cmd::Pattern-Only=true', '-o', 'Dpkg::Options::=--force-confold'];
const APT_INSTALL = ['-y', '--no-install-recommends', '--no-remove', ...APT_OPTIONS];
const DPKG_FORM = '--showformat=${Package}\\t${Version}\\t${db:Status-Status}\\n';
const PIP = ['--no-input', '--disable-pip-version-check'];
const NPM = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--replace-registry-host=never'];

/** The arguments of each process of a call: fixed ones, then the validated names after `--`. Pure. */
export function installPlan({ manager, packages }: InstallCall, { hasVenv, crates }: InstallPlace): InstallPlan {
  const named = ['--', ...packages];
  const bare = ['--', ...packages.map((name) => nameOf(manager, name))];
  switch (manager) {
    case 'apt':
      return {
        update: ['apt-get', ...APT, 'update'],
        install: ['apt-get', ...APT, ...APT_INSTALL, 'install', ...named],
        fetch: null,
        list: ['dpkg-query', '--show', DPKG_FORM, ...bare],
      };
    case 'pip': {
      const pip = hasVenv ? ['pip', '--python', '.venv'] : ['pip'];
      const where = hasVenv ? [] : ['--user'];
      return {
        update: null,
        install: [...pip, 'install', ...PIP, '--progress-bar', 'off', ...where, ...named],
        fetch: null,
        list: [...pip, 'list', ...PIP, '--format', 'json'],
      };
    }
    case 'npm':
      return {
        update: null,
        install: ['npm', 'install', ...NPM, ...named],
        fetch: null,
        list: ['npm', 'ls', '--json', '--depth', '0', ...bare],
      };
    case 'cargo': {
      const source = ['source.crates-io.replace-with="village"', `source.village.registry="sparse+${crates}"`];
      const config = source.flatMap((each) => ['--config', each]);
      return {
        update: null,
        install: ['cargo', 'add', ...config, ...named],
        fetch: ['cargo', 'fetch', ...config],
        list: ['cargo', 'tree', '--offline', '--depth', '1', '--prefix', 'none', ...config],
      };
    }
    case 'go':
      return {
        update: null,
        install: ['go', 'get', ...named],
        fetch: null,
        list: ['go', 'list', '-m', '-f', '{{.Path}} {{.Version}}', 'all'],
      };
  }
}

const VERBS: Readonly<Record<PackageManager, readonly string[]>> = {
  apt: ['apt-get', 'install'],
  pip: ['pip', 'install'],
  npm: ['npm', 'install'],
  cargo: ['cargo', 'add'],
  go: ['go', 'get'],
};

/** The equivalent shell command of a call, by which it is judged and shown. Pure. */
export const installCommand = ({ manager, packages }: InstallCall): string =>
  shellLine([...VERBS[manager], ...packages]);

/** The name of a package without version and extras. Pure. */
export function nameOf(manager: PackageManager, text: string): string {
  if (manager === 'apt') return text.replace(/=.*$/, '');
  if (manager === 'pip') return text.replace(/[[=<>!~].*$/, '');
  const at = text.lastIndexOf('@');
  return at > 0 ? text.slice(0, at) : text;
}
