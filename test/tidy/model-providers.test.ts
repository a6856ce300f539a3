/** Manifests of workflows name the providers of @hamlet/models that need nothing but an address and a key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODEL_PROVIDERS } from '../../agent-image/engine/src/workflow/manifest/schemas.ts';
import { parseModelsConfig } from '../../api/models/src/routing/models-config.ts';

/** `scripted` needs an adapter of the caller, and the subscription a person who accepts its notice. */
const ELSEWHERE = ['scripted', 'openai-subscription'];

const faultsOf = (provider: object): readonly string[] => {
  const routes = [{ match: '*', provider: 'one', model: 'any' }];
  const parsed = parseModelsConfig({ providers: { one: provider }, routes });
  return parsed.ok ? [] : parsed.errors.map(({ message }) => message);
};

test('manifests name all providers that they can use', () => {
  const [known = ''] = faultsOf({ kind: 'unknown' });
  const kinds = known.replace(/^write one of the kinds /, '').split(', ');
  assert.deepEqual(kinds.filter((kind) => !ELSEWHERE.includes(kind)).toSorted(), [...MODEL_PROVIDERS].toSorted());
  for (const kind of MODEL_PROVIDERS)
    assert.deepEqual(faultsOf({ kind, baseUrl: 'http://127.0.0.1:1/v1', credential: 'KEY' }), [], kind);
});
