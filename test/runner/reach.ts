/** Which test files a change can reach, by the imports of the work tree. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT } from '../../local/village/paths.ts';

/** The files that each file imports, or names as a program to start. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Files that lie outside of every package: a change of one reaches all tests. */
const EVERYTHING = /^(package(-lock)?\.json|tsconfig\.json|\.npmrc|test\/run\.ts|test\/runner\/)/;
const STRINGS = /['"`]([^'"`\n]+)['"`]/g;

/**
 * Test files that import a changed file, directly or indirectly. A changed file that is not a module counts as a change
 * of its whole package.
 */
export function reachedTests(graph: ImportGraph, changed: readonly string[]): readonly string[] {
  const all = [...graph.keys()];
  const isEverything = changed.some((file) => EVERYTHING.test(file));
  const reached = new Set(
    isEverything ? all : changed.flatMap((file) => [file, ...(graph.has(file) ? [] : packageOf(file, all))]),
  );
  const importers = new Map<string, string[]>();
  for (const [file, imports] of graph)
    for (const each of imports) importers.set(each, [...(importers.get(each) ?? []), file]);
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  return [...reached].filter((file) => file.endsWith('.test.ts')).toSorted();
}

/** The modules in the nearest folder above the file that holds modules. */
function packageOf(file: string, all: readonly string[]): readonly string[] {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    const inside = all.filter((each) => each.startsWith(`${folder}/`));
    if (inside.length > 0) return inside;
  }
  return [];
}

/** Files that differ from the merge base with a reference, committed or not. */
export function changedSince(reference: string): readonly string[] {
  const base = git('merge-base', reference, 'HEAD').trim();
  return [...lines(git('diff', '--name-only', base)), ...lines(git('ls-files', '--others', '--exclude-standard'))];
}

/** Reads the imports of all tracked and new modules. */
export function readImports(): ImportGraph {
  const files = lines(git('ls-files', '--cached', '--others', '--exclude-standard')).filter((file) =>
    existsSync(join(ROOT, file)),
  );
  const known = new Set(files);
  const packages = readPackages(files);
  const modules = files.filter((file) => /\.tsx?$/.test(file));
  return new Map(
    modules.map((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const named = [...text.matchAll(STRINGS)].map(([, name = '']) => fileOf(name, dirname(file), packages));
      return [file, [...new Set(named.filter((name) => known.has(name)))]];
    }),
  );
}

/** The file that a string names: relative, of a package, or from the root. */
function fileOf(name: string, folder: string, packages: readonly Package[]): string {
  if (name.startsWith('.')) return normalize(join(folder, name));
  const home = packages.find((each) => name === each.name || name.startsWith(`${each.name}/`));
  if (home === undefined) return name;
  const entry = `.${name.slice(home.name.length)}`;
  const exact = home.exports[entry];
  if (exact !== undefined) return join(home.folder, exact);
  const [key = '', path = ''] =
    Object.entries(home.exports).find(([each]) => each.endsWith('*') && entry.startsWith(each.slice(0, -1))) ?? [];
  return join(home.folder, path.replace('*', entry.slice(key.length - 1)));
}

interface Package {
  readonly name: string;
  readonly folder: string;
  readonly exports: Readonly<Record<string, string>>;
}

function readPackages(files: readonly string[]): readonly Package[] {
  return files
    .filter((file) => file.endsWith('/package.json'))
    .map((file) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Partial<Package>;
      return { name: name ?? '', folder: dirname(file), exports };
    });
}

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 });
const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
