import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressPolicy } from '@hamlet/contract';
import { cases, seeds, Seeded } from '@hamlet/test/env/seeded';
import type { Destination } from './judge-egress.ts';
import { judgeWire, type WireRequest, type WireVerdict } from './judge-wire.ts';
import { canonicalPath, fitsPath } from './path.ts';
import { outgoingHeaders } from './wire-headers.ts';

const policyOf = (parts: object): EgressPolicy =>
  EgressPolicy.parse({ version: 'v1', allow: [], deny: [], openings: [], ...parts });
const OPEN = policyOf({
  allow: [{ host: '*.org' }, { host: 'registry.npmjs.org' }],
  registries: { npm: { url: 'https://npm.home.org/' } },
});
const at = (host: string): Destination => ({ host, port: 443 });

const PUSH = { 'content-type': 'application/x-git-receive-pack-request' };
const FETCH = { 'content-type': 'application/x-git-upload-pack-request' };

type Written = Partial<WireRequest> & { readonly policy?: EgressPolicy };

function judged(method: string, url: string, { policy = OPEN, ...more }: Written = {}): WireVerdict {
  const [, host = '', target = ''] = /^([^/]+)(.*)$/s.exec(url) ?? [];
  return judgeWire(policy, at(host), { method, target, headers: {}, hasBody: false, isOfGit: false, ...more });
}

/** The effect of a permitted request, or the code of its refusal. */
function effect(method: string, url: string, written: Written = {}): string {
  const verdict = judged(method, url, written);
  return verdict.verdict === 'deny' ? verdict.code : verdict.effect;
}

test('a safe method is a read, unless a body or a parameter could make the server do something else', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS']) assert.equal(effect(method, 'api.org/v1/a?page=2'), 'read');
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'get', 'Get'])
    assert.equal(effect(method, 'api.org/v1/a'), 'write', method);
  assert.equal(effect('GET', 'api.org/v1/a', { hasBody: true }), 'write');
  for (const query of [
    '_method=DELETE',
    'a=1&_METHOD=put',
    'x-http-method-override=PATCH',
    '%5Fmethod=delete',
    'a;_method[]=POST',
    '_method=DELETE%00',
    '_method=%22PUT%22',
    '_method=M-SEARCH',
  ])
    assert.equal(effect('GET', `api.org/v1?${query}`), 'write', query);
  for (const query of ['method=flickr.photos.search', '_method=GET', 'methods=DELETE', 'note=_method%3DDELETE'])
    assert.equal(effect('GET', `api.org/v1?${query}`), 'read', query);
});

test('a write to a package registry is a publication, and a checkout page is recognized for any method', () => {
  for (const url of ['registry.npmjs.org/x', 'npm.home.org/x'])
    assert.deepEqual([effect('PUT', url), effect('GET', url)], ['publish', 'read'], url);
  for (const url of [
    'shop.org/checkout',
    'shop.org/cart/Checkout.html',
    'shop.org/v1/payments/7',
    'pay.a.org/',
    'checkout.a.org/a',
  ])
    for (const method of ['GET', 'POST']) assert.equal(effect(method, url), 'checkout', `${method} ${url}`);
  for (const url of ['a.org/docs/git-checkout', 'a.org/payload', 'payroll.org/'])
    assert.equal(effect('GET', url), 'read', url);
});

test('a push must look like one in path, method and type; a request that only partly does is unclear', () => {
  const target = 'git.org/team/a.git/git-receive-pack';
  const pushed = { headers: PUSH, hasBody: true };
  for (const isOfGit of [true, false]) {
    assert.equal(effect('POST', target, { ...pushed, isOfGit }), 'push');
    assert.equal(
      effect('POST', target, { headers: { ...PUSH, 'content-length': '4' }, hasBody: true, isOfGit }),
      'probe',
    );
  }
  const others: readonly (readonly [string, string, Written])[] = [
    ['DELETE', 'api.org/repos/team/project', pushed],
    ['PUT', target, pushed],
    ['POST', 'api.org/merge', pushed],
    ['POST', target, { hasBody: true }],
    ['POST', target, { headers: { 'content-type': 'application/x-git-receive-pack-request; a=b' }, hasBody: true }],
    ['POST', target, { headers: { ...PUSH, 'content-encoding': 'gzip' }, hasBody: true }],
    ['POST', target, { headers: PUSH }],
    ['POST', `${target}?x`, pushed],
    ['POST', `${target}/`, pushed],
    ['POST', `${target}?x=/git-receive-pack`, pushed],
    ['POST', 'git.org/a.git/GIT-receive-pack', pushed],
  ];
  for (const [method, url, written] of others)
    assert.equal(effect(method, url, written), 'egress_push_unclear', `${method} ${url} ${JSON.stringify(written)}`);
});

test("git's endpoint accepts clone, fetch and push in git's own form, judged as GET and POST", () => {
  const git = (method: string, target: string, more: Written = {}): string =>
    effect(method, `git.org${target}`, { isOfGit: true, ...more });
  const fetched = { headers: FETCH, hasBody: true };
  assert.equal(git('GET', '/r.git/info/refs?service=git-upload-pack'), 'read');
  assert.equal(git('POST', '/r.git/git-upload-pack', fetched), 'fetch');
  assert.equal(
    git('POST', '/r.git/git-upload-pack', { ...fetched, headers: { ...FETCH, 'content-encoding': 'gzip' } }),
    'fetch',
  );
  const reading = policyOf({ allow: [{ host: 'git.org', methods: ['GET'] }] });
  assert.equal(git('POST', '/r.git/git-upload-pack', { ...fetched, policy: reading }), 'fetch');
  const pushing = { headers: PUSH, hasBody: true, policy: reading };
  assert.equal(git('POST', '/r.git/git-receive-pack', pushing), 'egress_not_allowed');
  assert.equal(git('GET', '/r.git/info/refs?service=git-receive-pack', { policy: reading }), 'egress_not_allowed');
  const refused: readonly (readonly [string, string, Written])[] = [
    ['GET', '/r.git/info/refs', {}],
    ['GET', '/r.git/info/refs?service=git-upload-pack&x', {}],
    ['GET', '/r.git/info/refs?service=git-upload-pack', { hasBody: true }],
    ['GET', '/r.git/objects/info/packs', {}],
    ['GET', '/info/refs?service=git-upload-pack', {}],
    ['POST', '/r.git/info/lfs/objects/batch', { hasBody: true }],
    [
      'POST',
      '/index.php/git-upload-pack',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, hasBody: true },
    ],
    ['POST', '/r.git/git-upload-pack?x=git-receive-pack', fetched],
    ['POST', '/v4/transfer?to=mallory&x=/git-upload-pack', fetched],
    ['POST', '/v4/merge?x=/git-receive-pack', pushing],
    ['DELETE', '/r.git/git-receive-pack', pushing],
  ];
  for (const [method, target, more] of refused) assert.equal(git(method, target, more), 'egress_git_refused', target);
});

test('outside the endpoint, a fetch is judged like any other POST', () => {
  assert.equal(effect('POST', 'git.org/r.git/git-upload-pack', { headers: FETCH, hasBody: true }), 'write');
});

test('a request needs a rule that matches method and path, and a denial of the village wins in any spelling', () => {
  const policy = policyOf({
    allow: [
      { host: 'a.org', methods: ['GET'], paths: ['/repos/acme/**', '/a b/**'] },
      { host: 'a.org', paths: ['/open'] },
    ],
    deny: [{ host: 'a.org', paths: ['/repos/acme/secret/**', '/repos/acme/@x'] }],
  });
  const code = (method: string, target: string): string => effect(method, `a.org${target}`, { policy });
  assert.equal(code('GET', '/repos/acme/x?page=2'), 'read');
  assert.equal(code('GET', '/a%20b/c'), 'read');
  assert.equal(code('POST', '/repos/acme/x'), 'egress_not_allowed');
  assert.equal(code('POST', '/open'), 'write');
  assert.equal(code('GET', '/repos/other'), 'egress_not_allowed');
  for (const target of [
    '/repos/acme/secret/x',
    '/repos/acme/SECRET/x',
    '/repos/acme/secret/',
    '/repos/acme/%40x',
    '/repos/acme/@X/',
  ])
    assert.equal(code('GET', target), 'egress_denied', target);
  for (const target of [
    '/repos/acme/../other',
    '/repos/acme/%2e%2e/other',
    '/repos/acme%2Fsecret',
    '/repos/acme//secret/x',
    '/repos/acme/;/x',
    '/repos/acme/%73ecret/x',
    '/repos/acme/x#/../secret',
    '/repos/acme/x?a=1#b',
    '/repos/acme/%0d%0a',
    '/repos/acme/%',
    '/repos/acme/%c3%28',
    '/repos/acme/é',
    '/a\\b',
    '*',
    'repos',
  ])
    assert.equal(code('GET', target), 'egress_path_unclear', target);
});

test('rules with a secret take precedence, then rules that allow writes', () => {
  const ruleOf = (...allow: readonly object[]) => {
    const verdict = judged('POST', 'a.org/me', {
      policy: policyOf({ allow: allow.map((rule) => ({ host: 'a.org', ...rule })) }),
    });
    return verdict.verdict === 'allow' ? verdict.rule : null;
  };
  assert.equal(ruleOf({}, { paths: ['/me'], secret: 'token' })?.secret, 'token');
  assert.equal(ruleOf({ methods: ['POST'] }, { methods: ['POST'], writes: 'Allow' })?.writes, 'Allow');
  assert.equal(ruleOf({ writes: 'Allow' }, { secret: 'token' })?.writes, undefined);
});

test('a path pattern matches segment by segment', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['/a/*/c', '/a/b/c', true],
    ['/a/*/c', '/a/b/d/c', false],
    ['/a/*', '/a/', false],
    ['/a/**', '/a', true],
    ['/a/**', '/a/b/c', true],
    ['/a/**', '/ab', false],
    ['/**', '/', true],
    ['/', '/', true],
    ['/', '/x', false],
    ['/%40a', '/@a', true],
  ];
  for (const [pattern, path, wanted] of rows) assert.equal(fitsPath(pattern, path), wanted, `${pattern} ${path}`);
  assert.equal(canonicalPath(`/${'a'.repeat(9000)}`), null);
  assert.equal(canonicalPath('/pool/1.0%7erc1_a%2bb.deb'), '/pool/1.0~rc1_a+b.deb');
});

test('hop-by-hop headers end at the broker; headers that override method, host or path are refused', () => {
  const sent = outgoingHeaders({
    host: 'a.org',
    connection: 'keep-alive, TE',
    te: 'trailers',
    'x-a': '1',
    verdict: 'deny',
  });
  assert.deepEqual(sent, { headers: { host: 'a.org', 'x-a': '1', verdict: 'deny' } });
  for (const headers of [
    { connection: 'content-type' },
    { connection: 'close, Host' },
    { 'x-http-method-override': 'DELETE' },
    { x_http_method_override: 'DELETE' },
    { 'x-original-url': '/admin' },
    { 'x-rewrite-url': '/admin' },
    { 'x-forwarded-host': 'b.org' },
    { forwarded: 'host=b.org' },
    { 'x.http.method.override': 'DELETE' },
    { 'http-method-override': 'DELETE' },
    { 'x-envoy-original-path': '/admin' },
    { 'x-original-path': '/admin' },
    { 'script-name': '/admin' },
    { 'transfer-encoding': 'gzip, chunked' },
  ] as readonly Record<string, string>[]) {
    const refused = outgoingHeaders(headers);
    assert.equal('code' in refused && refused.code, 'egress_request_unclear', JSON.stringify(headers));
  }
});

type Sent = Pick<WireRequest, 'method' | 'target' | 'hasBody'> & { readonly headers: Readonly<Record<string, string>> };

/** RFC 9110 and git's protocol as common server frameworks read them, implemented independently of the judge. */
function mayChange({ method, target, headers, hasBody }: Sent): boolean {
  const override = Object.entries(headers).find(([name]) => /method/.test(name));
  const parameter = /[?&;](?:_|%5f)method=([a-z]+)/i.exec(target)?.[1];
  const method2 = (override?.[1] ?? parameter ?? method).toUpperCase();
  const path = decodeURIComponent((headers['x-original-url'] ?? target).split(/[?#]/)[0] ?? '');
  const isGitFetch =
    method === 'POST' &&
    path.endsWith('/git-upload-pack') &&
    headers['content-type'] === 'application/x-git-upload-pack-request';
  if (isGitFetch && override === undefined && !target.includes('?')) return false;
  return hasBody || !['GET', 'HEAD', 'OPTIONS'].includes(method2) || /\/(checkout|buy|pay)(\/|$)/i.test(path);
}

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'get', 'TRACE', 'LINK'];
const SEGMENTS = [
  'repos',
  'a.git',
  'git-upload-pack',
  'git-receive-pack',
  'checkout',
  '%63heckout',
  'buy',
  '%62uy',
  'info/refs',
  'x;y',
  '..',
  '%2e',
  'index.php',
  'Pay',
];
const QUERIES = [
  '',
  '?service=git-upload-pack',
  '?service=git-receive-pack',
  '?_method=DELETE',
  '?a=1;_method=PUT',
  '?%5Fmethod=post',
  '#x',
  '?x',
  '?x=/git-upload-pack',
  '?x=/git-receive-pack',
];
const TYPES = [
  undefined,
  'application/json',
  PUSH['content-type'],
  FETCH['content-type'],
  `${FETCH['content-type']}; a=b`,
  'application/x-www-form-urlencoded',
];
const EXTRA = [
  {},
  {},
  { connection: 'content-type' },
  { 'x-http-method-override': 'DELETE' },
  { 'x-http-method': 'PUT' },
  { 'x-original-url': '/buy/9' },
  { 'content-encoding': 'gzip' },
  { 'content-length': '4' },
];

test('no generated request with an effect passes as a read, and a content type never loosens a verdict', () => {
  let free = 0;
  for (const seed of seeds(4)) {
    const dice = new Seeded(seed);
    for (let at = 0; at < cases(20_000, 2_000); at += 1) {
      const method = dice.one(METHODS) ?? 'GET';
      const target = `/${Array.from({ length: 1 + Math.floor(dice.between(0, 3)) }, () => dice.one(SEGMENTS)).join('/')}${dice.one(QUERIES) ?? ''}`;
      const type = dice.one(TYPES);
      const headers: Record<string, string> = {
        ...dice.one(EXTRA),
        ...(type === undefined ? {} : { 'content-type': type }),
      };
      const hasBody = dice.chance(0.4) || 'content-length' in headers;
      const isOfGit = dice.chance(0.3);
      const sent = outgoingHeaders(headers);
      if ('verdict' in sent) continue;
      const wire = { ...sent, method, target, hasBody, isOfGit };
      const verdict = judgeWire(OPEN, { host: 'a.org', port: 443 }, wire);
      if (verdict.verdict === 'deny') continue;
      const what = JSON.stringify({ wire, verdict: verdict.effect });
      if (verdict.effect === 'read' || verdict.effect === 'fetch') {
        free += 1;
        assert.ok(!mayChange({ method, target, headers, hasBody }), what);
      }
      if (verdict.effect === 'probe') assert.ok(method === 'POST' && target.endsWith('/git-receive-pack'), what);
      const { 'content-type': _type, ...bare } = sent.headers;
      const untyped = judgeWire(OPEN, { host: 'a.org', port: 443 }, { ...wire, headers: bare });
      if (!isOfGit && untyped.verdict === 'allow' && untyped.effect !== 'read')
        assert.notEqual(verdict.effect, 'read', what);
    }
  }
  assert.ok(free > 100, `the generator also makes reads: ${free}`);
});
