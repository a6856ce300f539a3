/** The packages and their own tests. */
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { ROOT } from '../../local/village/paths.ts';

/** Folders, sources, and files or patterns of tests by name; any other folder of the work tree can be named too. */
export const NAMED: Readonly<Record<string, readonly string[]>> = {
  core: ['api/core/src'],
  kube: ['kube/src'],
  operator: ['operator/src'],
  // Most queries are tested through the routes that ask them.
  store: ['api/store/src', 'api/server/src/{agents,board,money,people,runs,schedules,standing}/**/*.test.ts'],
  models: ['api/models/src'],
  engine: ['agent-image/engine/src'],
  brain: ['agent-image/resident/src/brain'],
  money: ['api/core/src/economy'],
  log: ['api/core/src/sealed-log'],
  seats: ['api/core/src/seats'],
  permissions: [
    'api/contract/src/http/permissions.ts',
    'api/server/src/auth',
    'api/server/src/http/pipeline/authorize.ts',
    'api/server/src/http/pipeline/authorize.test.ts',
  ],
};
/** Programs, lists of exports, and support code of tests, which are not changed. */
const NOT_TRIED = ['**/*.test.ts', '**/testing/**', '**/index.ts', '**/main.ts', '**/*.generated.ts'];

export interface TriedPackage {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  /** The other files of the package, which tests may use. */
  readonly support: readonly string[];
}

/** The sources and tests of a name or a folder; undefined when there are none. */
export function packageOf(name: string): TriedPackage | undefined {
  const roots = NAMED[name] ?? [name.replace(/\/+$/, '')];
  const files = (pattern: string, exclude: readonly string[]): string[] =>
    roots.flatMap((root) => globSync(patternsOf(root, pattern), { cwd: ROOT, exclude: [...exclude] })).toSorted();
  const sources = files('**/*.ts', NOT_TRIED);
  const tests = files('**/*.test.ts', []);
  const support = files('**/*.ts', ['**/*.test.ts']).filter((file) => !sources.includes(file));
  return sources.length === 0 || tests.length === 0 ? undefined : { sources, tests, support };
}

/** The pattern within a folder. For a file: the file itself if the pattern matches files of its kind. */
function patternsOf(root: string, pattern: string): readonly string[] {
  if (!root.endsWith('.ts')) return [`${root}/${pattern}`];
  return root.endsWith('.test.ts') || pattern === '**/*.ts' ? [root] : [];
}

export const packageNames = Object.keys(NAMED);

/**
 * Tests ordered by the likelihood that they notice a change of the source: beside it, in its folder, near it, the
 * others.
 */
export function nearestFirst(tests: readonly string[], source: string): readonly string[] {
  const beside = source.replace(/\.ts$/, '.test.ts');
  const near = (file: string): number => {
    if (file === beside) return 0;
    if (dirname(file) === dirname(source)) return 1;
    return dirname(file).startsWith(dirname(dirname(source))) ? 2 : 3;
  };
  return tests.toSorted((a, b) => near(a) - near(b));
}
