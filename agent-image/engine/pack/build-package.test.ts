/** The package as an installation has it, without one: its folder lies in the node_modules of a bare folder. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { buildPackage } from './build-package.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const TRAP = join(import.meta.dirname, 'testing/no-net-trap.ts');

const bare = testFolder('bare');
const stage = join(bare, 'node_modules/@hamlet/engine');

interface PackedManifest {
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}
let manifest: PackedManifest;

before(() => {
  buildPackage(stage);
  manifest = JSON.parse(readFileSync(join(stage, 'package.json'), 'utf8')) as PackedManifest;
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(bare, 'node_modules', name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(bare, 'node_modules', name));
  }
  writeFileSync(join(bare, 'package.json'), '{ "type": "module" }\n');
});

/** Imports and exports from another module, for their effects, and lazily. */
const IMPORT =
  /^(?:import|export)\b[^;'"]*\bfrom ['"]([^'"]+)['"]|^import ['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm;

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

test('the package has compiled files alone, which import its dependencies, Node and each other', () => {
  const files = globSync('**/*', { cwd: stage }).filter((name) => statSync(join(stage, name)).isFile());
  const odd = files.filter(
    (name) => !/^dist\/.*\.(js|d\.ts)$|^(package\.json|README\.md|LICENSE)$|^schemas\/.*\.json$/.test(name),
  );
  assert.deepEqual(odd, []);
  assert.deepEqual(
    files.filter((name) => /test|testing\//.test(name)),
    [],
  );
  const imported = files
    .filter((name) => name.startsWith('dist/'))
    .flatMap((name) =>
      [...readFileSync(join(stage, name), 'utf8').matchAll(IMPORT)].map(([, ...found]) => ({
        name,
        from: found.join(''),
      })),
    );
  assert.ok(imported.length > 300, `${imported.length} imports`);
  const known = new Set(Object.keys(manifest.dependencies));
  const unknown = imported.filter(({ name, from }) =>
    from.startsWith('.')
      ? !statSync(join(stage, dirname(name), from), { throwIfNoEntry: false })?.isFile()
      : !(isBuiltin(from) || known.has(packageOf(from))),
  );
  assert.deepEqual(unknown, []);
});

test('an installation runs nothing: the manifest has no scripts, and dependencies of fixed versions', () => {
  assert.ok(!Object.hasOwn(manifest, 'scripts'));
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name);
    assert.ok(!name.startsWith('@hamlet/'), name);
  }
});

/** Runs a program in the bare folder; it can use the net and write files only if `isFree`. */
function run(program: string, isFree = false): Readonly<{ status: number | null; words: string }> {
  const bounds = isFree ? [] : ['--permission', '--allow-fs-read=*', '--allow-net'];
  const args = ['--import', TRAP, ...bounds, '--input-type=module', '--eval', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: bare, encoding: 'utf8' });
  return { status, words: stdout + stderr };
}

test('every entry can be imported without the net, and without a right to write', () => {
  const entries = Object.keys(manifest.exports).map((name) => join('@hamlet/engine', name));
  const imports = entries.map((entry) => `assert.ok(Object.keys(await import('${entry}')).length > 0);`).join('\n');
  const { status, words } = run(`import assert from 'node:assert';\n${imports}`);
  assert.equal(status, 0, words);
  // The bounds hold: else the test above would pass for any package.
  assert.equal(run("import net from 'node:net'; try { net.connect(9, '127.0.0.1'); } catch {}").status, 97);
  assert.equal(run("import dns from 'node:dns'; dns.promises.lookup('localhost').catch(() => {});").status, 97);
  assert.match(run("import fs from 'node:fs'; fs.writeFileSync('made', '');").words, /ERR_ACCESS_DENIED/);
});

test('its programs run', () => {
  for (const [name, file] of Object.entries(manifest.bin)) {
    const help = execFileSync(process.execPath, [join(stage, file), '--help'], { encoding: 'utf8' });
    assert.match(help, new RegExp(`^${name}:`), name);
  }
});
