import assert from 'node:assert/strict';
import { test } from 'node:test';
import { egressSecretOf } from './egress-secrets.ts';

const hostsOf = (hosts?: string) =>
  hosts === undefined ? {} : { annotations: { 'hamlet.village/egress-hosts': hosts } };

const secret = (data: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>, hosts?: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'x', namespace: 'village', uid: 'u', resourceVersion: '1', labels, ...hostsOf(hosts) },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
});
const LABELLED = { 'hamlet.village/egress': 'true' };

test('only a labelled Secret is read, from its key value, token or password', () => {
  const valueOf = (data: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>) =>
    egressSecretOf(secret(data, labels))?.value ?? null;
  assert.equal(valueOf({ token: 't', value: 'v\n' }, LABELLED), 'v');
  assert.equal(valueOf({ password: 'p', token: 't' }, LABELLED), 't');
  assert.equal(valueOf({ password: 'p' }, LABELLED), 'p');
  assert.equal(valueOf({ value: 'v' }, {}), null);
  assert.equal(valueOf({ value: 'v' }, { 'hamlet.village/egress': 'false' }), null);
  assert.equal(valueOf({ other: 'v' }, LABELLED), null);
  assert.equal(valueOf({ value: '' }, LABELLED), null);
});

test('the owner of a Secret names its hosts; without them it goes to none', () => {
  const hostsIn = (hosts?: string) => egressSecretOf(secret({ value: 'v' }, LABELLED, hosts))?.hosts;
  assert.deepEqual(hostsIn('API.github.com, *.example.org\n a.org'), ['api.github.com', '*.example.org', 'a.org']);
  assert.deepEqual([hostsIn(''), hostsIn()], [[], []]);
});
