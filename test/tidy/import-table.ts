/**
 * The import table: which package may import which. docs/ARCHITECTURE.md shows it, and oxlint enforces it through the
 * overrides in .oxlint-imports.generated.json, which this file writes; `--check` compares instead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMAND = 'node_modules/.bin/node test/tidy/import-table.ts';
export const LINT_FILE = '.oxlint-imports.generated.json';

export interface PackageRule {
  readonly folder: string;
  /** Packages of this repository that its sources may import. */
  readonly imports: readonly string[];
  /** Folders of the package whose sources may import more, and the packages. */
  readonly exceptions?: Readonly<Record<string, readonly string[]>>;
  /** Packages of this repository that only its tests may import. */
  readonly testImports?: readonly string[];
}

export const PACKAGES: Readonly<Record<string, PackageRule>> = {
  '@hamlet/contract': { folder: 'api/contract', imports: [] },
  '@hamlet/core': { folder: 'api/core', imports: ['@hamlet/contract'] },
  '@hamlet/models': { folder: 'api/models', imports: [] },
  '@hamlet/broker': { folder: 'api/broker', imports: ['@hamlet/contract', '@hamlet/core', '@hamlet/kube'] },
  '@hamlet/shell': { folder: 'api/shell', imports: [] },
  '@hamlet/store': { folder: 'api/store', imports: ['@hamlet/contract', '@hamlet/core'] },
  '@hamlet/server': {
    folder: 'api/server',
    imports: ['@hamlet/contract', '@hamlet/core', '@hamlet/models', '@hamlet/shell', '@hamlet/store', '@hamlet/kube'],
  },
  '@hamlet/kube': { folder: 'kube', imports: ['@hamlet/contract'] },
  '@hamlet/operator': {
    folder: 'operator',
    imports: ['@hamlet/contract', '@hamlet/core', '@hamlet/kube', '@hamlet/shell'],
  },
  '@hamlet/crds': { folder: 'crds', imports: ['@hamlet/contract'] },
  '@hamlet/engine': {
    folder: 'agent-image/engine',
    imports: [],
    // Outside of a village, the engine asks models itself. The packed engine brings the adapters with it.
    exceptions: { 'agent-image/engine/src/workflow/facade/models': ['@hamlet/models'] },
    // Tests of the engine ask the scripted servers of the models' test kit.
    testImports: ['@hamlet/models'],
  },
  '@hamlet/resident': {
    folder: 'agent-image/resident',
    imports: ['@hamlet/contract', '@hamlet/core', '@hamlet/engine', '@hamlet/models'],
  },
  // The manifests of workflows are checked and drawn in the browser and at the terminal as the engine reads them.
  '@hamlet/web': { folder: 'web', imports: ['@hamlet/contract', '@hamlet/core', '@hamlet/engine/manifests'] },
  '@hamlet/kubectl': {
    folder: 'cli/kubectl',
    imports: ['@hamlet/contract', '@hamlet/core', '@hamlet/engine/manifests'],
  },
  'hamlet-verify': { folder: 'cli/verify', imports: ['@hamlet/contract', '@hamlet/core'] },
};

/** npm packages that one package alone may import. */
export const NPM_OWNERS: Readonly<Record<string, string>> = {
  pg: '@hamlet/store',
  kysely: '@hamlet/store',
  ioredis: '@hamlet/server',
  bullmq: '@hamlet/server',
  express: '@hamlet/server',
  ws: '@hamlet/server',
  'pixi.js': '@hamlet/web',
  react: '@hamlet/web',
  'react-dom': '@hamlet/web',
  '@kubernetes/client-node': '@hamlet/kube',
};

/** Packages that tests and `testing/` folders may import in addition to those of their package. */
export const TEST_IMPORTS: readonly string[] = ['@hamlet/dev', '@hamlet/test', 'hamlet-verify'];

const NEVER_BY_PATH = ['**/crds/gen/**', '../**/local/**', '../**/test/env/**', '../**/bench/**'];

interface Pattern {
  readonly group: readonly string[];
  readonly message: string;
}

const withSubpaths = (names: readonly string[]): readonly string[] => names.flatMap((name) => [name, `${name}/**`]);

const lastPart = (folder: string): string => folder.split('/').at(-1) ?? folder;

function patternsOf(name: string, { imports }: PackageRule, alsoAllowed: readonly string[]): readonly Pattern[] {
  const allowed = [name, ...imports, ...alsoAllowed];
  const packages = [...new Set([...Object.keys(PACKAGES), ...TEST_IMPORTS, '@hamlet/bench'])];
  const otherFolders = Object.entries(PACKAGES)
    .filter(([other]) => other !== name)
    .map(([, { folder }]) => `**/${lastPart(folder)}/src/**`);
  const npm = Object.entries(NPM_OWNERS).filter(([, owner]) => owner !== name);
  return [
    {
      group: [
        ...withSubpaths(packages.filter((other) => !allowed.includes(other))),
        ...imports.filter((allow) => !packages.includes(allow)).map((entry) => `!${entry}`),
      ],
      message: `${name} may import only ${['npm packages', ...imports].join(', ')} (docs/ARCHITECTURE.md)`,
    },
    { group: [...otherFolders, ...NEVER_BY_PATH], message: 'import another package by its name, never by path' },
    {
      group: withSubpaths(npm.map(([npmPackage]) => npmPackage)),
      message: 'this npm package belongs to another package (test/tidy/import-table.ts)',
    },
  ];
}

/** One override for the sources of each package, one for each of its exceptions, and one for its tests. */
function overrides(): readonly object[] {
  return Object.entries(PACKAGES).flatMap(([name, rule]) => {
    const override = (files: readonly string[], alsoAllowed: readonly string[]): object => ({
      files,
      rules: { 'no-restricted-imports': ['error', { patterns: patternsOf(name, rule, alsoAllowed) }] },
    });
    const { folder, exceptions = {}, testImports = [] } = rule;
    const tests = [`${folder}/**/*.test.{ts,tsx}`, `${folder}/**/testing/**`];
    return [
      override([`${folder}/**/*.{ts,tsx}`], []),
      ...Object.entries(exceptions).map(([within, allowed]) => override([`${within}/**/*.ts`], allowed)),
      override(tests, [...TEST_IMPORTS, ...testImports]),
    ];
  });
}

/** The generated file: one override a line. */
export function lintFile(): string {
  const lines = overrides().map((override) => `    ${JSON.stringify(override)}`);
  return `// Generated by: ${COMMAND}\n{\n  "overrides": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

if (import.meta.main) {
  const file = join(ROOT, LINT_FILE);
  if (!process.argv.includes('--check')) writeFileSync(file, lintFile());
  else if (readFileSync(file, 'utf8') !== lintFile()) {
    console.error(`error: ${LINT_FILE} is not current\n  fix: run ${COMMAND} and commit the file`);
    process.exitCode = 1;
  }
}
