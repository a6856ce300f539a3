/** Every refusal of the contract is on a route, in a test, and in docs/API.md; every route is in a test and in docs/API.md. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { ALL_REFUSALS, reasonsOf, ROUTES } from '@hamlet/contract';

const ROOT = resolve(import.meta.dirname, '../..');
const tests = globSync('api/server/src/**/*.test.ts', { cwd: ROOT })
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');
const docs = readFileSync(join(ROOT, 'docs/API.md'), 'utf8');

/** Asked by the world of the settlement, never through a route of people or agents. */
const INSIDE: readonly string[] = ['world_full'];
/** Told by the router, before there is a route. */
const BEFORE_ROUTES: readonly string[] = ['route_not_found', 'method_not_allowed'];

test('every refusal belongs to a route', () => {
  const told = new Set<string>([...ROUTES.flatMap((route) => [...reasonsOf(route)]), ...INSIDE, ...BEFORE_ROUTES]);
  assert.deepEqual(
    ALL_REFUSALS.filter((code) => !told.has(code)),
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

test('docs/API.md has a line for every refusal and every route', () => {
  assert.deepEqual(
    ALL_REFUSALS.filter((code) => !docs.includes(`\`${code}\``)),
    [],
  );
  assert.deepEqual(
    ROUTES.filter((route) => !docs.includes(`\`${route.method} ${route.path}\``)).map((route) => route.name),
    [],
  );
});
