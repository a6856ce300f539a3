import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressPolicy } from '@hamlet/contract';
import { judgeConnection, judgeRequest } from './judge-egress.ts';
import { writeKindOf, type WrittenRequest } from './write-kind.ts';

const REGISTRIES = { npm: { url: 'https://npm.home/' } };

function kind(method: string, url: string, more: Partial<WrittenRequest> = {}): string | null {
  const { hostname: host, pathname: path } = new URL(url);
  const request = { destination: { host, port: 443 }, method, path, overrides: [], isPush: false, ...more };
  return writeKindOf(request, { registries: REGISTRIES });
}

test('a request that only reads is not a write, unless a header names another method', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS']) assert.equal(kind(method, 'https://api.example.org/v1/a'), null);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'get'])
    assert.equal(kind(method, 'https://api.example.org/v1/a'), 'write', method);
  assert.equal(kind('GET', 'https://api.example.org/', { overrides: ['delete'] }), 'write');
  assert.equal(kind('GET', 'https://api.example.org/', { overrides: ['get'] }), null);
  assert.equal(kind('POST', 'https://api.example.org/', { overrides: ['GET'] }), 'write');
});

test('what goes to a registry of packages is a publication', () => {
  for (const url of ['https://registry.npmjs.org/x', 'https://upload.pypi.org/legacy/', 'https://npm.home/x'])
    assert.equal(kind('PUT', url), 'publish', url);
  assert.equal(kind('GET', 'https://npm.home/x'), null);
  assert.equal(kind('PUT', 'https://files.home/x'), 'write');
});

test('a checkout page is one by its host or a segment of its path, however it is asked for', () => {
  for (const url of [
    'https://shop.example.org/checkout',
    'https://shop.example.org/cart/Checkout.html',
    'https://shop.example.org/v1/payments/7',
    'https://pay.example.org/',
    'https://checkout.example.org/a',
  ])
    for (const method of ['GET', 'POST']) assert.equal(kind(method, url), 'checkout', `${method} ${url}`);
  for (const url of ['https://example.org/docs/git-checkout', 'https://example.org/payload', 'https://payroll.org/'])
    assert.equal(kind('GET', url), null, url);
});

test('a push is one, wherever it goes', () => {
  assert.equal(kind('POST', 'https://pay.example.org/checkout', { isPush: true }), 'push');
});

test('a rule that asks before writes has its requests read, and the rule that lets writes out is found first', () => {
  const policyOf = (allow: readonly object[]): EgressPolicy =>
    EgressPolicy.parse({ version: 'v1', allow, deny: [], openings: [] });
  const at = { host: 'a.org', port: 443 };
  const verdictFor = (writes?: string): string =>
    judgeConnection(policyOf([{ host: 'a.org', ...(writes === undefined ? {} : { writes }) }]), at).verdict;
  assert.deepEqual(['Ask', 'Allow', undefined].map(verdictFor), ['inspect', 'tunnel', 'tunnel']);
  const post = { method: 'POST', target: '/x' };
  const both = [
    { host: 'a.org', methods: ['POST'] },
    { host: 'a.org', methods: ['POST'], writes: 'Allow' },
  ];
  const judged = judgeRequest(policyOf(both), at, post);
  assert.equal(judged.verdict === 'allow' && judged.rule.writes, 'Allow');
  const secret = { host: 'a.org', methods: ['POST'], secret: 'key' };
  const withSecret = judgeRequest(policyOf([...both, secret]), at, post);
  assert.equal(withSecret.verdict === 'allow' && withSecret.rule.writes, undefined);
});
