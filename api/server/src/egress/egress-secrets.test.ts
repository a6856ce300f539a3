import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueOfSecret } from './egress-secrets.ts';

const secret = (data: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'x', namespace: 'village', uid: 'u', resourceVersion: '1', labels },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
});
const LABELLED = { 'hamlet.village/egress': 'true' };

test('only a labelled Secret is read, from its key value, token or password', () => {
  assert.equal(valueOfSecret(secret({ token: 't', value: 'v\n' }, LABELLED)), 'v');
  assert.equal(valueOfSecret(secret({ password: 'p', token: 't' }, LABELLED)), 't');
  assert.equal(valueOfSecret(secret({ password: 'p' }, LABELLED)), 'p');
  assert.equal(valueOfSecret(secret({ value: 'v' }, {})), null);
  assert.equal(valueOfSecret(secret({ value: 'v' }, { 'hamlet.village/egress': 'false' })), null);
  assert.equal(valueOfSecret(secret({ other: 'v' }, LABELLED)), null);
  assert.equal(valueOfSecret(secret({ value: '' }, LABELLED)), null);
});
