import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';

const folder = testFolder('bootstrap');
const cache = join(folder, 'cache');
const programs = join(folder, 'bin');
mkdirSync(programs);
const LOCK = {
  packages: { '': {}, 'node_modules/x': { version: '1.0.0' }, 'part/node_modules/x': { version: '2.0.0' } },
};
/** Installs the packages of the lock file and a program of Node, as npm does. */
const NPM = `#!/bin/sh
set -e
echo installed >>"$NPM_RUNS"
rm -rf node_modules part/node_modules
mkdir -p node_modules/x node_modules/.bin part/node_modules/x
cp package-lock.json node_modules/.package-lock.json
echo 1 >node_modules/x/index.js
ln -s "$(command -v node)" node_modules/.bin/node
`;
writeFileSync(join(programs, 'npm'), NPM, { mode: 0o755 });
const runs = join(folder, 'runs');
const PATH = `${programs}:${join(process.execPath, '..')}:${process.env['PATH']}`;

function clone(name: string): string {
  const root = join(folder, name);
  mkdirSync(join(root, 'local/village'), { recursive: true });
  mkdirSync(join(root, 'part'));
  for (const file of ['bootstrap.sh', 'installed.mjs'])
    copyFileSync(join(import.meta.dirname, file), join(root, 'local/village', file));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(LOCK, null, 2));
  return root;
}

const start = (root: string, kept = cache): unknown =>
  execFileSync('sh', [join(root, 'local/village/bootstrap.sh')], {
    env: { ...process.env, PATH, HAMLET_CACHE: kept, NPM_RUNS: runs },
    stdio: 'pipe',
  });
const installations = (): number => readFileSync(runs, 'utf8').trim().split('\n').length;
const inode = (root: string, file: string): number => statSync(join(root, file)).ino;

test('a clone links the packages that another one has installed; another lock file is installed by npm', () => {
  const [first, second] = [clone('first'), clone('second')];
  start(first);
  start(second);
  assert.equal(installations(), 1);
  assert.equal(inode(first, 'node_modules/x/index.js'), inode(second, 'node_modules/x/index.js'));
  const record = 'node_modules/.package-lock.json';
  assert.notEqual(inode(first, record), inode(second, record), 'npm writes in place');
  assert.ok(statSync(join(second, 'part/node_modules/x')).isDirectory());
  writeFileSync(join(second, record), JSON.stringify({ packages: {} }));
  start(second);
  assert.equal(installations(), 1, 'the kept packages are still those of the lock file');
  writeFileSync(join(second, 'package-lock.json'), JSON.stringify(LOCK, null, 2).replace('2.0.0', '2.0.1'));
  start(second);
  assert.equal(installations(), 2);
});

test('packages that cannot be kept for other clones are installed all the same', () => {
  const noFolder = join(folder, 'file');
  writeFileSync(noFolder, '');
  const third = clone('third');
  start(third, noFolder);
  assert.ok(statSync(join(third, 'node_modules/x')).isDirectory());
});
