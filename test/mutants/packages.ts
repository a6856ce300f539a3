/** The packages whose tests are tried, and which tests are their own. */
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { ROOT } from '../../local/village/paths.ts';

/** Folders by a name for them; any folder of the work tree is a package of its own too. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  core: ['api/core/src'],
  kube: ['kube/src'],
  operator: ['operator/src'],
  store: ['api/store/src'],
  brain: ['agent-image/resident/src/brain'],
  money: ['api/core/src/economy', 'api/core/src/payments', 'api/core/src/trade', 'api/core/src/spending'],
  log: ['api/core/src/log'],
  seats: ['api/core/src/seats'],
  permissions: ['api/server/src/auth'],
};
/** Programs, lists of exports, and what tests stand on. */
const NOT_TRIED = ['**/*.test.ts', '**/testing/**', '**/index.ts', '**/main.ts', '**/*.generated.ts'];

export interface TriedPackage {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  /** All else of the package, which tests may stand on. */
  readonly support: readonly string[];
}

/** The sources and tests of a name or a folder; undefined when there are none. */
export function packageOf(name: string): TriedPackage | undefined {
  const folders = NAMED[name] ?? [name.replace(/\/+$/, '')];
  const files = (pattern: string, exclude: readonly string[]): string[] =>
    folders.flatMap((folder) => globSync(`${folder}/${pattern}`, { cwd: ROOT, exclude: [...exclude] })).toSorted();
  const sources = files('**/*.ts', NOT_TRIED);
  const tests = files('**/*.test.ts', []);
  const support = files('**/*.ts', ['**/*.test.ts']).filter((file) => !sources.includes(file));
  return sources.length === 0 || tests.length === 0 ? undefined : { sources, tests, support };
}

/** Names that stand for folders. */
export const packageNames = Object.keys(NAMED);

/** The tests in the order in which they are likely to notice a change of the source: beside it, in its folder, near it, the others. */
export function nearestFirst(tests: readonly string[], source: string): readonly string[] {
  const beside = source.replace(/\.ts$/, '.test.ts');
  const near = (file: string): number => {
    if (file === beside) return 0;
    if (dirname(file) === dirname(source)) return 1;
    return dirname(file).startsWith(dirname(dirname(source))) ? 2 : 3;
  };
  return tests.toSorted((a, b) => near(a) - near(b));
}
