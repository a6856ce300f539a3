import assert from 'node:assert/strict';
import { copyFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { testFolder } from '@hamlet/test/env/at-end';
import { testVillage } from '../../testing/test-village.ts';

const folder = testFolder('test-web');
const SCRIPT = 'export {};\n'.repeat(100);
await mkdir(join(folder, 'assets'));
await writeFile(join(folder, 'assets', 'app-abc123.js'), SCRIPT);
await writeFile(join(folder, 'assets', 'font-abc123.woff2'), 'a font');
await writePage('Hamlet');
for (const [name, encode] of [
  ['.br', brotliCompressSync],
  ['.gzip', gzipSync],
] as const) {
  await mkdir(join(folder, name, 'assets'), { recursive: true });
  await writeFile(join(folder, name, 'assets', 'app-abc123.js'), encode(SCRIPT));
}
const village = await testVillage();
const url = (await village.startReplica({ HAMLET_WEB_DIR: folder })).peopleUrl;

/** Asks whether a cached file is current. Without the second header `fetch` would ask for a new copy in any case. */
const ifNot = (tag: string) => ({ 'if-none-match': tag, 'cache-control': 'max-age=0' });

/** Writes the page with the time that an image gives to all files. */
async function writePage(title: string): Promise<void> {
  const page = join(folder, 'index.html');
  await writeFile(page, `<!doctype html><title>${title}</title>`);
  await utimes(page, 1, 1);
}

test('the API serves the web at / with any query and a strict policy, and lets browsers cache its files permanently', async () => {
  for (const path of ['/', '/?follow=ada']) {
    const page = await fetch(`${url}${path}`);
    assert.match(await page.text(), /<title>Hamlet/);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'.*frame-ancestors 'none'/);
    assert.equal(page.headers.get('cache-control'), 'no-cache');
  }
  assert.match((await fetch(`${url}/assets/app-abc123.js`)).headers.get('cache-control') ?? '', /immutable/);
});

test('the worker that shows notices is a script that loads only its icon, and the manifest of the web app has its type', async () => {
  for (const file of ['push-worker.js', 'manifest.webmanifest'])
    await copyFile(new URL(`../../../../../web/public/${file}`, import.meta.url), join(folder, file));
  const { headers } = await fetch(`${url}/push-worker.js`);
  assert.match(headers.get('content-type') ?? '', /^text\/javascript/);
  assert.deepEqual(
    ['content-security-policy', 'cache-control', 'x-content-type-options'].map((name) => headers.get(name)),
    ["default-src 'none'; img-src 'self'", 'no-cache', 'nosniff'],
  );
  const manifest = await fetch(`${url}/manifest.webmanifest`);
  assert.match(manifest.headers.get('content-type') ?? '', /^application\/manifest\+json/);
  assert.equal(((await manifest.json()) as { display: string }).display, 'standalone');
});

test('a file is sent in the smallest encoding that the browser reads, each with a tag of its own', async () => {
  const get = (accepted: string, tag = '') =>
    fetch(`${url}/assets/app-abc123.js`, { headers: { 'accept-encoding': accepted, ...ifNot(tag) } });
  const tags: string[] = [];
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['identity', null],
  ] as const) {
    const response = await get(accepted);
    const { status, headers } = response;
    assert.deepEqual(
      [status, await response.text(), headers.get('content-encoding'), headers.get('vary')],
      [200, SCRIPT, encoding, 'accept-encoding'],
    );
    assert.match(headers.get('content-type') ?? '', /^text\/javascript/);
    assert.match(headers.get('cache-control') ?? '', /immutable/);
    const tag = headers.get('etag') ?? '';
    assert.equal((await get(accepted, tag)).status, 304);
    tags.push(tag);
  }
  assert.equal(new Set(tags).size, 3);
  assert.equal((await get('identity', tags[0])).status, 200, 'the tag of another encoding');
});

test('a file that the build did not encode is sent as it is', async () => {
  for (const path of ['/assets/font-abc123.woff2', '/']) {
    const response = await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'gzip, br' } });
    assert.deepEqual([response.status, response.headers.get('content-encoding')], [200, null], path);
  }
});

test('a page of another version has another tag, even with the same size and time', async () => {
  const tag = (await fetch(url)).headers.get('etag') ?? '';
  const again = () => fetch(url, { headers: ifNot(tag) });
  assert.equal((await again()).status, 304);
  await writePage('Amleth');
  assert.equal((await again()).status, 200);
  await writePage('Hamlet');
});

test('any other path gets a problem, not the page', async () => {
  for (const path of [
    '/map',
    '/agents.html',
    '/assets/',
    '/assets/gone.js',
    '/.br/assets/app-abc123.js',
    '/../../etc/passwd',
  ]) {
    const response = await fetch(`${url}${path}`);
    assert.equal(response.status, 404, path);
    assert.equal(((await response.json()) as { code: string }).code, 'route_not_found', path);
  }
});
