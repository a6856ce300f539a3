import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachedTests, readImports, type ImportGraph } from './reach.ts';

const GRAPH: ImportGraph = new Map([
  ['api/a/src/index.ts', ['api/a/src/one.ts', 'api/a/src/two.ts']],
  ['api/a/src/one.ts', []],
  ['api/a/src/two.ts', []],
  ['api/a/src/one.test.ts', ['api/a/src/one.ts']],
  ['api/a/src/two.test.ts', ['api/a/src/two.ts']],
  ['web/src/page.ts', ['api/a/src/index.ts']],
  ['web/src/page.test.ts', ['web/src/page.ts']],
  ['kube/src/apart.test.ts', ['README.md']],
]);

test('a change reaches every test that imports it, directly or indirectly', () => {
  assert.deepEqual(reachedTests(GRAPH, ['api/a/src/one.ts']), ['api/a/src/one.test.ts', 'web/src/page.test.ts']);
  assert.deepEqual(reachedTests(GRAPH, ['api/a/src/two.test.ts']), ['api/a/src/two.test.ts']);
  assert.deepEqual(reachedTests(GRAPH, []), []);
});

test('a changed file that is not a module affects its package; a file outside of packages affects all tests', () => {
  assert.deepEqual(reachedTests(GRAPH, ['api/a/migrations/0001.sql']), [
    'api/a/src/one.test.ts',
    'api/a/src/two.test.ts',
    'web/src/page.test.ts',
  ]);
  assert.equal(reachedTests(GRAPH, ['package-lock.json']).length, 4);
  assert.deepEqual(reachedTests(GRAPH, ['README.md']), ['kube/src/apart.test.ts'], 'the test reads it');
});

test('imports are followed through packages and started programs', () => {
  const graph = readImports();
  const reached = reachedTests(graph, ['api/core/src/run/decide-run.ts']);
  assert.ok(reached.includes('api/core/src/run/decide-run.test.ts'));
  assert.ok(reached.includes('api/server/src/runs/run-routes.test.ts'), 'by the name of its package');
  assert.ok(!reached.includes('kube/src/client/watch.test.ts'));
  const started = reachedTests(graph, ['test/runner/pool/planted/main.ts']);
  assert.ok(started.includes('test/runner/pool/deadline.test.ts'), 'by the path of a program');
});
