/** Rules for every route of the contract. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathsOf, reasonsOf, REFUSALS, ROUTES, type RouteSpec, urlOf } from './index.ts';

for (const route of ROUTES as readonly RouteSpec[]) {
  test(`${route.name} is well formed`, () => {
    const named = [...route.path.matchAll(/\{(\w+)\*?\}/g)].map(([, name]) => name);
    assert.deepEqual(
      named,
      Object.keys(route.params?.shape ?? {}),
      'the names in the path and the params are the same',
    );
    // An identity provider redirects a browser by GET only (RFC 6749, section 4.1.2), and each step of a sign-in
    // works once.
    const isStep = route.answer.kind === 'redirect';
    assert.equal(route.idempotency === 'read' || isStep, route.method === 'GET', 'reads are GET, and GETs are reads');
    assert.ok(route.body === undefined || route.method !== 'GET');
    assert.ok(reasonsOf(route).every((reason) => reason in REFUSALS));
    assert.ok(route.audiences.length > 0);
  });
}

test('no two routes share a name, or a method and path', () => {
  assert.equal(new Set(ROUTES.map(({ name }) => name)).size, ROUTES.length);
  const places = ROUTES.flatMap((route) => pathsOf(route).map((path) => `${route.method} ${path}`));
  assert.equal(new Set(places).size, places.length);
});

test('a url carries params and query, encoded', () => {
  const route = ROUTES.find(({ name }) => name === 'listTurns');
  assert.ok(route !== undefined);
  assert.equal(
    urlOf(route, { params: { agent_id: 'a/b' }, query: { limit: 5, cursor: undefined } }),
    '/api/v1/agents/a%2Fb/turns?limit=5',
  );
});
