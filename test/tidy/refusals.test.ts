/** Every refusal of the contract has a route and a test, every route has a test, and the reference lists both. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { ALL_REFUSALS, reasonsOf, ROUTES } from '@hamlet/contract';

const ROOT = resolve(import.meta.dirname, '../..');
const tests = globSync('api/server/src/**/*.test.ts', { cwd: ROOT })
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');
const reference = readFileSync(join(ROOT, 'docs/reference/api.generated.md'), 'utf8');

/** Refusals of the world when it settles agents, outside of any route. */
const INSIDE: readonly string[] = ['world_full'];
/** Refusals of the router before it finds a route. */
const BEFORE_ROUTES: readonly string[] = ['route_not_found', 'method_not_allowed'];

test('every refusal belongs to a route', () => {
  const used = new Set<string>([...ROUTES.flatMap((route) => [...reasonsOf(route)]), ...INSIDE, ...BEFORE_ROUTES]);
  assert.deepEqual(
    ALL_REFUSALS.filter((code) => !used.has(code)),
    [],
  );
});

test('every refusal is expected by a test', () => {
  assert.deepEqual(
    ALL_REFUSALS.filter((code) => !INSIDE.includes(code) && !tests.includes(`'${code}'`)),
    [],
  );
});

test('every route is called by a test', () => {
  assert.deepEqual(
    ROUTES.filter((route) => !new RegExp(`\\b${route.name}\\b`).test(tests)).map((route) => route.name),
    [],
  );
});

test('the reference has a line for every refusal and every route', () => {
  assert.deepEqual(
    ALL_REFUSALS.filter((code) => !reference.includes(`\`${code}\``)),
    [],
  );
  assert.deepEqual(
    ROUTES.filter((route) => !reference.includes(`\`${route.method} ${route.path}\``)).map((route) => route.name),
    [],
  );
});
