import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseModelsConfig } from '@hamlet/models';
import { modelValues, routeFrom } from './village-model.ts';

const CHOSEN = {
  baseUrl: 'http://127.0.0.1:8000/v1',
  model: 'm',
  large: 'm',
  key: 'sk-0123456789',
  contextTokens: null,
};

test('pods reach a server without TLS through a port of the machine', () => {
  assert.deepEqual(routeFrom('10.89.0.1', CHOSEN.baseUrl), {
    baseUrl: 'http://10.89.0.1:18090/v1',
    forward: { listen: '10.89.0.1:18090', to: 'tcp://127.0.0.1:8000' },
    hostAliases: [],
  });
  assert.equal(routeFrom('10.89.0.1', 'http://models/v1').forward?.to, 'tcp://models:80');
});

test('with TLS the name stays, and pods find the machine under it', () => {
  assert.deepEqual(routeFrom('10.89.0.1', 'https://api.example.org/v1'), {
    baseUrl: 'https://api.example.org/v1',
    forward: { listen: '10.89.0.1:443', to: 'tcp://api.example.org:443' },
    hostAliases: [{ ip: '10.89.0.1', hostnames: ['api.example.org'] }],
  });
});

test('the values have a valid configuration and no key', () => {
  const values = modelValues(CHOSEN, routeFrom('10.89.0.1', CHOSEN.baseUrl));
  assert.ok(!JSON.stringify(values).includes(CHOSEN.key));
  assert.partialDeepStrictEqual(values, {
    models: { keysSecretName: 'hamlet-model-keys', config: { providers: { model: { credential: 'model' } } } },
  });
  const { config } = (values as { readonly models: { readonly config: unknown } }).models;
  assert.ok(parseModelsConfig(config).ok);
  const open = modelValues({ ...CHOSEN, key: null }, routeFrom('10.89.0.1', CHOSEN.baseUrl));
  assert.partialDeepStrictEqual(open, { models: { keysSecretName: '' } });
});
