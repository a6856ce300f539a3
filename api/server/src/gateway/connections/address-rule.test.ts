import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forbiddenUrl, isForbiddenAddress } from './address-rule.ts';

const REFUSED = [
  'http://169.254.169.254/latest',
  'http://169.254.0.1:8000/v1',
  'http://2852039166/v1',
  'http://0xa9fea9fe/v1',
  'http://169.254.43518/v1',
  'http://[::ffff:169.254.169.254]/v1',
  'http://[fe80::1]/v1',
  'http://[fd00:ec2::254]/v1',
  'http://[64:ff9b::a9fe:a9fe]/v1',
  'http://0.0.0.0:8080/v1',
  'http://[::]:8080/v1',
  'http://100.100.100.200/v1',
  'http://168.63.129.16/v1',
  'http://224.0.0.1/v1',
  'http://metadata.google.internal/v1',
  'http://METADATA.google.internal./v1',
];
const ALLOWED = [
  'https://api.openai.com/v1',
  'http://10.0.0.7:8000/v1',
  'http://192.168.1.20:11434',
  'http://127.0.0.1:11434',
  'http://[fd12::7]:8000/v1',
  'http://vllm.models.svc:8000/v1',
];

for (const url of REFUSED)
  test(`a provider may not have the address ${url}`, () => {
    assert.match(forbiddenUrl(url) ?? '', /metadata or link-local/);
  });

for (const url of ALLOWED)
  test(`a provider may have the address ${url}`, () => {
    assert.equal(forbiddenUrl(url), null);
  });

test('a forbidden IP address is refused in every notation, and so is an invalid one', () => {
  for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fe80::a', 'not an address'])
    assert.ok(isForbiddenAddress(address), address);
  for (const address of ['10.1.2.3', '127.0.0.1', '::1', '2606:4700::1'])
    assert.ok(!isForbiddenAddress(address), address);
});
