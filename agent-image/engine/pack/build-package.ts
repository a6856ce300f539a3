/**
 * Builds the npm package of the engine: compiled JavaScript with its types, because Node strips no types in node_modules. The
 * repository runs the sources as they are. Run it with a folder: `npm pack` there writes the tarball.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { packageManifest, PUBLISHED, sourceOf, type SourceManifest } from './package-manifest.ts';

const ENGINE = resolve(import.meta.dirname, '..');
const ROOT = resolve(ENGINE, '../..');
const MODELS = join(ROOT, 'api/models');

/** Packages of the repository that the package contains, by the place of their compiled entry. */
const BROUGHT = { '@hamlet/models': 'models/index' } as const;

const readManifest = <T>(folder: string): T => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as T;

type Compilation = Readonly<{
  /** All entries; the compiler follows their imports, so tests stay out. */
  files: readonly string[];
  from: string;
  to: string;
  paths?: Readonly<Record<string, readonly string[]>>;
}>;

function compile(stage: string, { files, from, to, paths = {} }: Compilation): void {
  const config = join(stage, 'tsconfig.json');
  const options = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    rootDir: from,
    outDir: to,
    paths,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  writeFileSync(
    config,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions: options, files, include: [] }),
  );
  try {
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', config], {
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    });
  } catch (error) {
    throw new Error(`the engine does not compile:\n${(error as { readonly stdout?: string }).stdout ?? ''}`, {
      cause: error,
    });
  } finally {
    rmSync(config);
  }
}

/** A relative import that names a source: the compiler does not rewrite those in declarations. */
const OF_SOURCE = /(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g;

/** Makes the compiled files import each other, and the packages in `BROUGHT`, by relative paths of compiled files. */
function linkFiles(dist: string): void {
  for (const file of globSync('**/*.{js,d.ts}', { cwd: dist }).map((name) => join(dist, name))) {
    const text = readFileSync(file, 'utf8');
    const own = file.endsWith('.d.ts') ? text.replaceAll(OF_SOURCE, '$1$2.js$1') : text;
    const linked = Object.entries(BROUGHT).reduce((all, [name, place]) => {
      const path = relative(dirname(file), join(dist, `${place}.js`));
      return all.replaceAll(`'${name}'`, `'${path.startsWith('.') ? path : `./${path}`}'`);
    }, own);
    if (linked !== text) writeFileSync(file, linked);
  }
}

/** Empties the folder and writes the package into it. Throws with the compiler's words if the sources do not compile. */
export function buildPackage(folder: string): void {
  const stage = resolve(folder);
  rmSync(stage, { recursive: true, force: true });
  const dist = join(stage, 'dist');
  mkdirSync(dist, { recursive: true });
  const source = readManifest<SourceManifest>(ENGINE);
  const models = readManifest<Pick<SourceManifest, 'dependencies'>>(MODELS);
  compile(stage, { files: [join(MODELS, 'src/index.ts')], from: join(MODELS, 'src'), to: join(dist, 'models') });
  const entries = [...Object.keys(PUBLISHED).map((name) => sourceOf(source, name)), ...Object.values(source.bin)];
  compile(stage, {
    files: [...new Set(entries)].map((entry) => join(ENGINE, entry)),
    from: join(ENGINE, 'src'),
    to: dist,
    paths: Object.fromEntries(Object.entries(BROUGHT).map(([name, place]) => [name, [join(dist, `${place}.d.ts`)]])),
  });
  linkFiles(dist);
  for (const file of Object.values(source.bin))
    chmodSync(join(dist, relative('src', file).replace(/\.ts$/, '.js')), 0o755);
  writeFileSync(
    join(stage, 'package.json'),
    `${JSON.stringify(packageManifest(source, models.dependencies), null, 2)}\n`,
  );
  for (const name of ['README.md', 'schemas'].filter((each) => existsSync(join(ENGINE, each))))
    cpSync(join(ENGINE, name), join(stage, name), { recursive: true, filter: (path) => !path.endsWith('.ts') });
  cpSync(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error(
      'usage: build-package.ts FOLDER: empties the folder and writes the npm package of the engine into it',
    );
    process.exitCode = 2;
  } else {
    buildPackage(folder);
    console.log(`wrote the package into ${resolve(folder)}: run npm pack there`);
  }
}
