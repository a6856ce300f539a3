import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { ROOT } from '../../local/village/paths.ts';
import { NAMED, packageOf } from './packages.ts';

test('every named package has sources and tests, and everything that it lists exists', () => {
  for (const [name, roots] of Object.entries(NAMED)) {
    assert.ok(packageOf(name), name);
    for (const root of roots) assert.ok(globSync(root, { cwd: ROOT }).length > 0, root);
  }
});

test('a package lists each file by its kind', () => {
  const { sources = [], tests = [] } = packageOf('permissions') ?? {};
  assert.ok(sources.includes('api/contract/src/http/permissions.ts'));
  assert.ok(sources.includes('api/server/src/http/pipeline/authorize.ts'));
  assert.ok(tests.includes('api/server/src/http/pipeline/authorize.test.ts'));
  assert.deepEqual(
    sources.filter((file) => file.endsWith('.test.ts')),
    [],
  );
});
