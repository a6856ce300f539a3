import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathsOf, REFUSALS, ROUTES } from '@hamlet/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import { docsPage, escapeHtml } from './docs-page.ts';
import { openApiDocument } from './openapi.ts';

test('the document is valid OpenAPI 3.1 and contains every route on every path', async () => {
  const document = openApiDocument();
  const result = await new Validator().validate(structuredClone(document));
  assert.equal(result.valid, true, JSON.stringify(result.valid ? '' : result.errors, null, 2));
  const paths = document['paths'] as Record<string, Record<string, { operationId: string }>>;
  for (const route of ROUTES)
    for (const path of pathsOf(route))
      assert.ok(paths[path.replace('*}', '}')]?.[route.method.toLowerCase()], `${route.method} ${path}`);
  const ids = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  assert.equal(new Set(ids).size, ids.length, 'operation ids are unique');
});

test('the page names every route and every refusal', () => {
  const page = docsPage();
  for (const route of ROUTES) {
    assert.ok(page.includes(`id="${route.name}"`), route.name);
    assert.ok(page.includes(escapeHtml(route.summary)), route.summary);
  }
  for (const code of Object.keys(REFUSALS)) assert.ok(page.includes(`id="${code}"`), code);
});
