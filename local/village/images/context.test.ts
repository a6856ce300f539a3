import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { hashSources, stageSources } from './context.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hamlet-context-'));
  mkdirSync(join(folder, 'src/node_modules/x'), { recursive: true });
  writeFileSync(join(folder, 'src/main.ts'), 'one');
  writeFileSync(join(folder, 'src/main.test.ts'), 'test');
  writeFileSync(join(folder, 'src/node_modules/x/index.js'), 'x');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sources = (): { from: string; to: string }[] => [{ from: join(folder, 'src'), to: 'app' }];

test('the hash of sources depends on bytes, paths and modes, but not on times', () => {
  const first = hashSources(sources(), []);
  utimesSync(join(folder, 'src/main.ts'), 1, 1);
  assert.equal(hashSources(sources(), []), first);
  chmodSync(join(folder, 'src/main.ts'), 0o755);
  const executable = hashSources(sources(), []);
  assert.notEqual(executable, first);
  writeFileSync(join(folder, 'src/main.ts'), 'two');
  const changed = hashSources(sources(), []);
  assert.notEqual(changed, executable);
  assert.notEqual(hashSources([{ from: join(folder, 'src'), to: 'elsewhere' }], []), changed);
  assert.notEqual(hashSources(sources(), ['another base']), changed);
});

test('tests and installed packages are not inputs', () => {
  const first = hashSources(sources(), []);
  writeFileSync(join(folder, 'src/main.test.ts'), 'another test');
  writeFileSync(join(folder, 'src/node_modules/x/index.js'), 'y');
  assert.equal(hashSources(sources(), []), first);
});

test('staging copies the hashed files, keeps links as links, and replaces existing files', () => {
  symlinkSync('main.ts', join(folder, 'src/link.ts'));
  const target = join(folder, 'staged');
  mkdirSync(target);
  writeFileSync(join(target, 'old'), 'old');
  stageSources([...sources(), { from: join(folder, 'src/node_modules'), to: 'node_modules', whole: true }], target);
  assert.deepEqual(readdirSync(target).toSorted(), ['app', 'node_modules']);
  assert.deepEqual(readdirSync(join(target, 'app')).toSorted(), ['link.ts', 'main.ts']);
  assert.equal(readFileSync(join(target, 'app/link.ts'), 'utf8'), 'one');
});
