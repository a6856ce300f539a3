import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAskableHost, isInternational, ruleOfOpenedHost } from './ask-host.ts';
import { judgeConnection } from './judge-egress.ts';

test('only a public name of a readable length may be asked about', () => {
  for (const host of ['example.org', 'api.example.org', 'a-b.example.test', 'xn--bcher-kva.example', 'a.xn--p1ai'])
    assert.ok(isAskableHost({ host }), host);
  const never = [
    'localhost',
    'kubernetes',
    'hamlet-api-agents',
    'kubernetes.default.svc',
    'x.svc.cluster.local',
    'metadata.google.internal',
    '169.254.169.254',
    '2852039166',
    '0x7f.1',
    '::1',
    '::ffff:a59:1',
    '1.1.168.192.in-addr.arpa',
    '*.example.org',
    'example.org.',
    '-a.example.org',
    'a..example.org',
    'exam ple.org',
    'EXAMPLE.org',
    'exämple.org',
    '',
    `${'a.'.repeat(50)}example.org`,
  ];
  for (const host of never) assert.ok(!isAskableHost({ host }), host);
});

test('an opened host is one name and one port, of which the broker reads each request', () => {
  const rule = ruleOfOpenedHost({ host: 'example.org', port: 443 });
  const policy = { version: '1', allow: [rule], deny: [], openings: [], closedCidrs: [], registries: {} };
  const verdict = (host: string, port: number): string => judgeConnection(policy, { host, port }).verdict;
  assert.equal(verdict('example.org', 443), 'inspect');
  assert.equal(verdict('example.org', 80), 'deny');
  assert.equal(verdict('sub.example.org', 443), 'deny');
  assert.equal(isInternational({ host: 'a.xn--p1ai' }), true);
  assert.equal(isInternational({ host: 'axn--p.org' }), false);
});
