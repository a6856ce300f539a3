import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressPolicy } from '@hamlet/contract';
import {
  classifyAddress,
  asksAboutWrites,
  fitsHost,
  judgeConnection,
  judgeRequest,
  mayConnect,
  normalHost,
  clearPath,
  fitsPath,
} from './judge-egress.ts';

const policyOf = (parts: object): EgressPolicy =>
  EgressPolicy.parse({ version: 'v1', allow: [], deny: [], openings: [], ...parts });

const at = (host: string, port = 443) => ({ host, port });

test('only public addresses are public, in each of the forms in which an address can be written', () => {
  const classes = {
    public: ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'],
    private: [
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      'fd12::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
    ],
    loopback: ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
    link_local: ['169.254.1.1', 'fe80::1', 'fe80::1%eth0'],
    metadata: [
      '169.254.169.254',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      'fd00:ec2::254',
      '168.63.129.16',
      '100.100.100.200',
    ],
    multicast: ['224.0.0.1', 'ff02::1'],
    reserved: [
      '0.0.0.0',
      '::',
      '240.0.0.1',
      '255.255.255.255',
      '192.0.2.1',
      '2002:a00:1::',
      '2001::1',
      '2001:db8::1',
      '198.18.0.1',
      'example.org',
      '',
    ],
  };
  for (const [wanted, addresses] of Object.entries(classes))
    for (const address of addresses) assert.equal(classifyAddress(address), wanted, address);
});

test('an opening reaches one private network by one name and port, and never metadata, loopback or link-local', () => {
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

test('a pattern fits names below a domain and never the domain or its look-alikes', () => {
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

test('without a rule nothing goes out; a bare rule is a tunnel; methods, paths, secrets and partial denials are read', () => {
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

test('a request needs a rule that fits method and path, and a denial of the village wins', () => {
  const policy = policyOf({
    allow: [
      { host: 'a.org', methods: ['GET'], paths: ['/repos/acme/**'] },
      { host: 'a.org', paths: ['/open'] },
    ],
    deny: [{ host: 'a.org', paths: ['/repos/acme/secret/**'] }],
  });
  const code = (method: string, target: string): string => {
    const judged = judgeRequest(policy, at('a.org'), { method, target });
    return judged.verdict === 'deny' ? judged.code : 'allowed';
  };
  assert.equal(code('GET', '/repos/acme/x?page=2'), 'allowed');
  assert.equal(code('POST', '/repos/acme/x'), 'egress_not_allowed');
  assert.equal(code('POST', '/open'), 'allowed');
  assert.equal(code('GET', '/repos/acme/secret/x'), 'egress_denied');
  assert.equal(code('GET', '/repos/other'), 'egress_not_allowed');
  for (const target of [
    '/repos/acme/../other',
    '/repos/acme/%2e%2e/other',
    '/repos/acme%2Fsecret',
    '/repos/acme//secret/x',
    '/repos/acme/;/x',
    '/a\\b',
    '*',
    'repos',
  ])
    assert.equal(code('GET', target), 'egress_path_unclear', target);
});

test('the rule with the secret goes first, so that a bare rule beside it does not hide it', () => {
  const policy = policyOf({ allow: [{ host: 'a.org' }, { host: 'a.org', paths: ['/me'], secret: 'token' }] });
  const judged = judgeRequest(policy, at('a.org'), { method: 'GET', target: '/me' });
  assert.equal(judged.verdict === 'allow' && judged.rule.secret, 'token');
});

test('segments of a path pattern', () => {
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
  ];
  for (const [pattern, path, wanted] of rows) assert.equal(fitsPath(pattern, path), wanted, `${pattern} ${path}`);
  assert.equal(clearPath(`/${'a'.repeat(9000)}`), null);
});

test('adding a denial never lets more out', () => {
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
    return judgeRequest(policy, at(host), { method, target }).verdict === 'allow';
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

test('the broker asks about all writes of an agent without a tunnel and without a rule that lets plain writes out', () => {
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
