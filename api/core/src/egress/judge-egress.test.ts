import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressPolicy } from '@hamlet/contract';
import { asksAboutWrites, fitsHost, judgeConnection, mayConnect, normalHost } from './judge-egress.ts';
import { judgeWire, type WireRequest } from './judge-wire.ts';

const policyOf = (parts: object): EgressPolicy =>
  EgressPolicy.parse({ version: 'v1', allow: [], deny: [], openings: [], ...parts });

const at = (host: string, port = 443) => ({ host, port });

test('an opening permits one private network under one name and port, but never metadata, loopback or link-local addresses', () => {
  const opened = (cidr: string) => policyOf({ openings: [{ host: 'git.home', cidr, ports: [8080] }] });
  const lan = opened('10.1.0.0/16');
  assert.ok(mayConnect(lan, at('git.home', 8080), '10.1.2.3'));
  assert.ok(mayConnect(lan, at('git.home', 8080), '::ffff:10.1.2.3'));
  assert.ok(!mayConnect(lan, at('git.home', 22), '10.1.2.3'));
  assert.ok(!mayConnect(lan, at('other.home', 8080), '10.1.2.3'));
  assert.ok(!mayConnect(lan, at('git.home', 8080), '10.2.0.1'));
  for (const address of [
    '127.0.0.1',
    '169.254.169.254',
    '169.254.0.1',
    '224.0.0.1',
    '0.0.0.0',
    '::1',
    '100.100.100.200',
  ])
    assert.ok(
      !mayConnect(opened(address.includes(':') ? '::/0' : '0.0.0.0/0'), at('git.home', 8080), address),
      address,
    );
});

test("an owner's network with public addresses is closed except for its openings", () => {
  const openings = [{ host: 'git.home', cidr: '2a01:4f8::/32', ports: [443] }];
  const policy = policyOf({ closedCidrs: ['2a01:4f8::/32', '9.0.0.0/8'], openings });
  assert.deepEqual(
    ['2a01:4f8::7', '64:ff9b::901:203', '9.1.2.3', '::ffff:9.1.2.3', '8.8.8.8', '2606:4700::1'].map((address) =>
      mayConnect(policy, at('a.org'), address),
    ),
    [false, false, false, false, true, true],
  );
  assert.ok(mayConnect(policy, at('git.home'), '2a01:4f8::7'));
});

test('a wildcard matches names below a domain, but not the domain itself or look-alikes', () => {
  assert.equal(normalHost('API.Example.ORG.'), 'api.example.org');
  assert.equal(normalHost('[::1]'), '::1');
  const fits = {
    'api.example.org': true,
    'a.b.example.org': true,
    'example.org': false,
    'badexample.org': false,
    'example.org.evil.net': false,
  };
  for (const [host, wanted] of Object.entries(fits)) assert.equal(fitsHost('*.example.org', host), wanted, host);
  assert.ok(fitsHost('example.org', 'example.org'));
  assert.ok(!fitsHost('example.org', 'www.example.org'));
});

test('without a rule nothing goes out; a rule with only a host is a tunnel; methods, paths, secrets and partial denials make the broker read', () => {
  const host = 'api.example.org';
  const judged = (parts: object, port = 443) => judgeConnection(policyOf(parts), at(host, port)).verdict;
  assert.equal(judged({}), 'deny');
  assert.equal(judged({ allow: [{ host }] }), 'tunnel');
  assert.equal(judged({ allow: [{ host }] }, 8443), 'deny');
  assert.equal(judged({ allow: [{ host, methods: ['GET'] }] }), 'inspect');
  assert.equal(judged({ allow: [{ host, paths: ['/v1/**'] }] }), 'inspect');
  assert.equal(judged({ allow: [{ host }, { host, secret: 'token' }] }), 'inspect');
  assert.equal(judged({ allow: [{ host }], deny: [{ host, methods: ['DELETE'] }] }), 'inspect');
  assert.equal(judged({ allow: [{ host }], deny: [{ host: '*.example.org' }] }), 'deny');
});

test('adding a denial never permits more', () => {
  const rules = ['a.org', '*.a.org', 'b.a.org'].flatMap((host) => [
    { host },
    { host, methods: ['GET'] },
    { host, paths: ['/x/**'] },
  ]);
  type Row = readonly [host: string, method: string, target: string];
  const isOut = (parts: object, [host, method, target]: Row): boolean => {
    const policy = policyOf(parts);
    const connection = judgeConnection(policy, at(host)).verdict;
    if (connection !== 'inspect') return connection === 'tunnel';
    const wire: WireRequest = { method, target, headers: {}, hasBody: false, isOfGit: false };
    return judgeWire(policy, at(host), wire).verdict === 'allow';
  };
  const cases = rules.flatMap((allow) => rules.map((denial) => ({ allow, denial })));
  const requests = ['a.org', 'b.a.org'].flatMap((host) =>
    ['GET', 'POST'].flatMap((method) => ['/x/1', '/y'].map((target) => [host, method, target] satisfies Row)),
  );
  for (const { allow, denial } of cases) {
    const out = (parts: object) => requests.filter((request) => isOut(parts, request));
    const without = out({ allow: [allow] });
    for (const request of out({ allow: [allow], deny: [denial] }))
      assert.ok(without.includes(request), JSON.stringify({ allow, denial, request }));
  }
});

test('the broker asks about all writes unless a rule is a tunnel or allows plain writes', () => {
  const asks = (...allow: readonly object[]): boolean =>
    asksAboutWrites(policyOf({ allow: allow.map((rule) => ({ host: 'a.org', ports: [443], ...rule })) }));
  assert.ok(asks(), 'nothing leaves at all');
  const read = [{ methods: ['POST'] }, { paths: ['/v1/**'] }, { secret: 'key' }, { writes: 'Ask' }];
  assert.ok(asks(...read));
  assert.ok(!asks(...read, {}), 'the broker does not read a tunnel');
  assert.ok(!asks(...read, { methods: ['POST'], writes: 'Allow' }));
  for (const rule of read) {
    const allow = [{ host: 'a.org', ports: [443], ...rule }];
    assert.equal(judgeConnection(policyOf({ allow }), at('a.org')).verdict, 'inspect');
  }
});
