import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { testVillage } from '../../testing/test-village.ts';

const folder = testFolder('test-web');
await mkdir(join(folder, 'assets'));
await writeFile(join(folder, 'index.html'), '<!doctype html><title>Hamlet</title>');
await writeFile(join(folder, 'assets', 'app-abc123.js'), 'export {};');
const village = await testVillage();
const url = (await village.startReplica({ HAMLET_WEB_DIR: folder })).peopleUrl;

test('the API serves the web at / with any query and a strict policy, and lets browsers cache its files permanently', async () => {
  for (const path of ['/', '/?follow=ada']) {
    const page = await fetch(`${url}${path}`);
    assert.match(await page.text(), /<title>Hamlet/);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'.*frame-ancestors 'none'/);
    assert.equal(page.headers.get('cache-control'), 'no-cache');
  }
  assert.match((await fetch(`${url}/assets/app-abc123.js`)).headers.get('cache-control') ?? '', /immutable/);
});

test('any other path gets a problem, not the page', async () => {
  for (const path of ['/map', '/agents.html', '/assets/', '/assets/gone.js', '/../../etc/passwd']) {
    const response = await fetch(`${url}${path}`);
    assert.equal(response.status, 404, path);
    assert.equal(((await response.json()) as { code: string }).code, 'route_not_found', path);
  }
});
