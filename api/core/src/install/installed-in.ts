import type { PackageManager } from '@hamlet/contract';
import { readJson } from '../values/read-json.ts';
import { nameOf, type InstallCall } from './install-plan.ts';

export interface InstalledPackage {
  readonly name: string;
  readonly version: string | null;
}

const VERSION_MAX_CHARS = 100;

/** The output of a package manager comes from the hands, so it is untrusted. */
type Read = (printed: string) => readonly (readonly [name: string, version: string])[];

const linesOf = (printed: string, form: RegExp): ReturnType<Read> =>
  printed.split('\n').flatMap((line) => {
    const [, name, version] = form.exec(line) ?? [];
    return name === undefined || version === undefined ? [] : [[name, version] as const];
  });
const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    ? (value as Readonly<Record<string, unknown>>)[field]
    : undefined;

const READERS: Readonly<Record<PackageManager, Read>> = {
  apt: (printed) => linesOf(printed, /^([a-z0-9][a-z0-9+.-]+)\t([0-9]\S*)\tinstalled$/),
  cargo: (printed) => linesOf(printed, /^([A-Za-z][\w-]*) v([0-9]\S*)/),
  go: (printed) => linesOf(printed, /^(\S+) (v[0-9]\S*)$/),
  pip: (printed) => {
    const found = readJson(printed);
    return (Array.isArray(found) ? found : []).flatMap((each: unknown) => {
      const [name, version] = [fieldOf(each, 'name'), fieldOf(each, 'version')];
      return typeof name === 'string' && typeof version === 'string' ? [[name, version] as const] : [];
    });
  },
  npm: (printed) => {
    const found = fieldOf(readJson(printed), 'dependencies');
    return Object.entries(typeof found === 'object' && found !== null ? found : {}).flatMap(([name, facts]) => {
      const version = fieldOf(facts, 'version');
      return typeof version === 'string' ? [[name, version] as const] : [];
    });
  },
};

/** The normal form of a name: two spellings of one package are equal in it. */
function keyOf(manager: PackageManager, name: string): string {
  if (manager === 'pip') return name.toLowerCase().replaceAll(/[._-]+/g, '-');
  if (manager === 'cargo') return name.replaceAll('_', '-');
  return manager === 'apt' ? name.replace(/:.*$/, '') : name;
}

/** The installed versions of a call's packages, from the manager's output. A Go package has the version of its module. Pure. */
export function installedIn({ manager, packages }: InstallCall, printed: string): readonly InstalledPackage[] {
  const found = READERS[manager](printed).map(([name, version]) => [keyOf(manager, name), version] as const);
  const known = new Map(found);
  return [...new Set(packages.map((each) => nameOf(manager, each)))].map((name) => {
    const key = keyOf(manager, name);
    const version = manager === 'go' ? moduleVersion(found, key) : known.get(key);
    return { name, version: version?.slice(0, VERSION_MAX_CHARS) ?? null };
  });
}

/** The version of the module with the longest path that contains a Go package. */
function moduleVersion(found: readonly (readonly [string, string])[], path: string): string | undefined {
  const modules = found.filter(([module]) => path === module || path.startsWith(`${module}/`));
  return modules.toSorted(([a], [b]) => b.length - a.length)[0]?.[1];
}
