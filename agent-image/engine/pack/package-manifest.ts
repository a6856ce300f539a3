/** The part of the repository's package.json that the package is made from. */
export type SourceManifest = Readonly<{
  version: string;
  exports: Readonly<Record<string, string>>;
  bin: Readonly<Record<string, string>>;
  dependencies: Readonly<Record<string, string>>;
}>;

/** Entries of the package, by the entries of the repository that they are. The others are for the village's own processes. */
export const PUBLISHED: Readonly<Record<string, string>> = {
  '.': './workflow',
  './context': './context',
  './json': './json',
  './memory': './memory',
};

const compiled = (source: string): string => source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '.js');

const entry = (source: string): object => ({
  types: compiled(source).replace(/\.js$/, '.d.ts'),
  default: compiled(source),
});

/** The source of a published entry. Throws if the repository lacks it. */
export function sourceOf({ exports }: SourceManifest, published: string): string {
  const source = exports[PUBLISHED[published] ?? ''];
  if (source === undefined)
    throw new Error(`package.json has no entry for ${published} of the package: add it to exports`);
  return source;
}

/**
 * The package.json of the package: compiled files, and no script, so that an installation runs nothing. `more`:
 * dependencies of the packages of the repository that it contains. Pure.
 */
export function packageManifest(source: SourceManifest, more: Readonly<Record<string, string>>): object {
  const npm = Object.entries({ ...more, ...source.dependencies }).filter(([name]) => !name.startsWith('@hamlet/'));
  return {
    name: '@hamlet/engine',
    version: source.version,
    description: 'Runs workflows of AI agents that YAML files describe: resumable, observable, safe',
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '>=24' },
    exports: Object.fromEntries(Object.keys(PUBLISHED).map((name) => [name, entry(sourceOf(source, name))])),
    bin: Object.fromEntries(Object.entries(source.bin).map(([name, file]) => [name, compiled(file)])),
    files: ['dist', 'schemas'],
    dependencies: Object.fromEntries(npm.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}
