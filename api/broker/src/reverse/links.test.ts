import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Registry } from '@hamlet/contract';
import { Links } from './links.ts';
import type { Upstream } from './reverse-target.ts';

const OWN = 'http://127.0.0.1:3128';

const linksOf = (registry: Registry, given: Partial<Upstream> = {}): Links =>
  new Links(registry, { scheme: 'https', destination: { host: 'index.org', port: 443 }, target: '/x', ...given }, OWN);

async function rewritten(links: Links, body: string, chunk = body.length): Promise<string> {
  const stream = links.stream({ 'content-type': 'application/json' });
  if (stream === null) return 'unchanged';
  for (let at = 0; at < body.length; at += chunk) stream.write(body.slice(at, at + chunk));
  stream.end();
  return text(stream);
}

test('links of an index lead to the reverse endpoint, other addresses stay unchanged', async () => {
  const npm = '{"homepage":"https://a.org/","dist":{"tarball":"https://files.org:8443/x/-/x-1.tgz"}}';
  assert.equal(
    await rewritten(linksOf('npm'), npm),
    `{"homepage":"https://a.org/","dist":{"tarball":"${OWN}/npm/at/https/files.org:8443/x/-/x-1.tgz"}}`,
  );
  const pip = '<a href="https://files.org/a.whl#sha256=1">a</a> <a href="/b.whl">b</a> <a href="../c.whl">c</a>';
  assert.equal(
    await rewritten(linksOf('pip', { scheme: 'http', destination: { host: 'pip.home', port: 8080 } }), pip),
    `<a href="${OWN}/pip/at/https/files.org/a.whl#sha256=1">a</a> <a href="${OWN}/pip/at/http/pip.home:8080/b.whl">b</a> <a href="../c.whl">c</a>`,
  );
  const crates = linksOf('crates', { target: '/config.json' });
  assert.match(
    await rewritten(crates, '{"dl":"https://static.org/crates"}'),
    /"dl":"http.*\/at\/https\/static.org\/cr/,
  );
  assert.equal(await rewritten(linksOf('go'), '{"tarball":"https://a.org/"}'), 'unchanged');
  assert.equal(linksOf('npm').stream({ 'content-type': 'application/octet-stream' }), null);
});

test('the rewritten text is the same for chunks of any length', async () => {
  const entry = (at: number): string =>
    `{"n":"${'x'.repeat(at % 700)}","tarball":"https://files.org/${String(at)}.tgz"}`;
  const body = `[${Array.from({ length: 200 }, (_, at) => entry(at * 37)).join(',')}]`;
  const whole = await rewritten(linksOf('npm'), body);
  assert.ok(!whole.includes('"https://files.org'));
  for (const chunk of [1, 7, 100, 511, 512, 513, 4096])
    assert.equal(await rewritten(linksOf('npm'), body, chunk), whole, String(chunk));
  const long = 'y'.repeat(100_000);
  assert.equal(await rewritten(linksOf('npm'), long, 1000), long);
});

test('redirects stay on the reverse endpoint', () => {
  const location = (to: string) => linksOf('pip', { target: '/simple/A/' }).headers({ location: to })['location'];
  assert.equal(location('/simple/a/'), `${OWN}/pip/at/https/index.org/simple/a/`);
  assert.equal(location('HTTPS://Cdn.org/x?y'), `${OWN}/pip/at/https/Cdn.org/x?y`);
  assert.equal(location('../a/'), '../a/');
});
