import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressPolicy } from '@hamlet/contract';
import { isSumsQuestion, upstreamOfIndex } from './registries.ts';
import { originFor, readReverse, reversePath } from './reverse-target.ts';

const RUN = '6f1c1d52-0000-4000-8000-000000000001';
const LOOPBACK = 'http://127.0.0.1:3128';

test('a reverse endpoint is a path on the proxy itself or on a loopback address', () => {
  assert.equal(reversePath('/git/a.org/x'), '/git/a.org/x');
  assert.equal(reversePath('http://127.0.0.1:3128/npm/x'), '/npm/x');
  assert.equal(reversePath('http://[::1]/npm/x'), '/npm/x');
  assert.equal(reversePath('http://hamlet/npm/x'), '/npm/x');
  assert.deepEqual(['hamlet', '127.0.0.1:3128', undefined].map(originFor), ['http://hamlet', LOOPBACK, LOOPBACK]);
  assert.equal(reversePath('http://127.0.0.1.evil.org/npm/x'), null);
  assert.equal(reversePath('http://a@127.0.0.1/npm/x'), null);
  for (const path of ['/', '/latest/meta-data', '/gitx/a.org/x', '/git/a.org', '/npm', '/git/a b/x', '/as/x/y/npm/z'])
    assert.equal(readReverse(path), null, path);
});

test('the path names host, scheme, registry, run and call', () => {
  assert.deepEqual(readReverse('/git/Git.Org/o/r.git/info/refs?service=git-upload-pack'), {
    kind: 'git',
    as: null,
    upstream: {
      scheme: 'https',
      destination: { host: 'git.org', port: 443 },
      target: '/o/r.git/info/refs?service=git-upload-pack',
    },
  });
  assert.deepEqual(readReverse(`/as/${RUN}/call-1/git+http/git.home:3000/r/git-upload-pack`), {
    kind: 'git',
    as: { run: RUN, call: 'call-1' },
    upstream: { scheme: 'http', destination: { host: 'git.home', port: 3000 }, target: '/r/git-upload-pack' },
  });
  assert.deepEqual(readReverse('/pip/at/https/files.org/a/b.whl'), {
    kind: 'link',
    registry: 'pip',
    as: null,
    upstream: { scheme: 'https', destination: { host: 'files.org', port: 443 }, target: '/a/b.whl' },
  });
  // pip encodes the colon before a port.
  assert.deepEqual(readReverse('/pip/at/https/files.home%3A8443/a/b.whl'), {
    kind: 'link',
    registry: 'pip',
    as: null,
    upstream: { scheme: 'https', destination: { host: 'files.home', port: 8443 }, target: '/a/b.whl' },
  });
  assert.deepEqual(readReverse('/go/x.org/y/@v/list'), {
    kind: 'index',
    registry: 'go',
    as: null,
    rest: '/x.org/y/@v/list',
  });
});

test('a user name before the host of a repository is dropped', () => {
  const read = readReverse('/git/ada:word@git.org/r.git/git-upload-pack');
  assert.deepEqual(read?.kind === 'git' && read.upstream.destination, { host: 'git.org', port: 443 });
});

test('a registry has its address, or a denial that names the setting to ask for', () => {
  const registries = { npm: { url: 'https://npm.home:4873/all/' }, go: { url: 'https://proxy.golang.org/' } };
  const policy = EgressPolicy.parse({ version: '1', allow: [], deny: [], openings: [], registries });
  assert.deepEqual(upstreamOfIndex(policy, 'npm', '/@scope%2fname'), {
    scheme: 'https',
    destination: { host: 'npm.home', port: 4873 },
    target: '/all/@scope/name',
  });
  const sums = upstreamOfIndex(policy, 'go', '/sumdb/sum.golang.org/latest');
  assert.ok('target' in sums && sums.destination.host === 'sum.golang.org' && sums.target === '/latest');
  assert.ok(isSumsQuestion('go', '/sumdb/sum.golang.org/supported') && !isSumsQuestion('npm', '/supported'));
  const off = upstreamOfIndex(policy, 'pip', '/pytest/');
  assert.ok('code' in off && off.code === 'egress_registry_off' && /add pip to egress.registries/.test(off.message));
});
