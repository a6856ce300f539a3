import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseModelsConfig } from '@hamlet/models';
import { OPENAI_WIRE, startWireServer } from '@hamlet/models/testing';
import type { WireAnswer, WireRequest, WireServer } from '@hamlet/models/testing';
import { baseUrlOf, chooseModel, configOf, withoutModelKey } from './model-choice.ts';
import { testFolder } from '@hamlet/test/env/at-end';

const KEY = 'sk-test-0123456789';

function chat({ method, path }: WireRequest): WireAnswer | null {
  return `${method} ${path}` === 'POST /v1/chat/completions' ? OPENAI_WIRE.plain({ text: ['Hello.'] }) : null;
}

let wire: WireServer;
before(async () => {
  wire = await startWireServer([], { otherwise: chat });
});
after(() => wire.close());

function list(...models: readonly object[]): void {
  wire.add({ expect: { method: 'GET', path: '/v1/models' }, answer: { chunks: [JSON.stringify({ data: models })] } });
}

test('the only model of a server is selected with its context; the key is sent and stays out of the configuration', async () => {
  wire.add({
    expect: { path: '/v1/models', headers: { authorization: `Bearer ${KEY}` } },
    answer: { chunks: [JSON.stringify({ data: [{ id: 'org/model', max_model_len: 8_192 }] })] },
  });
  const chosen = await chooseModel({ MODEL: wire.url, MODEL_KEY: KEY });
  assert.ok(chosen !== null);
  const { baseUrl, model, large, key, contextTokens } = chosen;
  assert.deepEqual(
    [baseUrl, model, large, key, contextTokens],
    [`${wire.url}/v1`, 'org/model', 'org/model', KEY, 8_192],
  );
  const config = configOf(chosen);
  assert.ok(!JSON.stringify(config).includes(KEY));
  const parsed = parseModelsConfig(config);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  assert.deepEqual(
    parsed.config.routes.map((route) => [route.match, route.model, route.contextTokens]),
    [
      ['small', 'org/model', 8_192],
      ['large', 'org/model', 8_192],
    ],
  );
  wire.verify();
});

test('MODEL_NAME is required if a server has several models; MODEL_LARGE may be another', async () => {
  list({ id: 'a' }, { id: 'b' });
  await assert.rejects(chooseModel({ MODEL: `${wire.url}/v1` }), /MODEL_NAME to one of a, b/);
  list({ id: 'a' }, { id: 'b' });
  const chosen = await chooseModel({ MODEL: `${wire.url}/v1/`, MODEL_NAME: 'a', MODEL_LARGE: 'b' });
  assert.deepEqual([chosen?.model, chosen?.large, chosen?.key], ['a', 'b', null]);
  wire.verify();
});

test('a key may be in a file; a refused key is an error, even with MODEL_NAME', async () => {
  const folder = testFolder('model-key');
  await writeFile(join(folder, 'key'), `${KEY}\n`);
  list({ id: 'a' });
  assert.equal((await chooseModel({ MODEL: wire.url, MODEL_KEY_FILE: join(folder, 'key') }))?.key, KEY);
  wire.add({ answer: { status: 401, chunks: [] } });
  await assert.rejects(
    chooseModel({ MODEL: wire.url, MODEL_NAME: 'a', MODEL_KEY: KEY }),
    (error: Error) => /refuses the key/.test(error.message) && !error.message.includes(KEY),
  );
});

test('an unreachable server needs MODEL_NAME', async () => {
  const MODEL = 'http://127.0.0.1:9/v1';
  await assert.rejects(chooseModel({ MODEL }), /the models of MODEL=http:\/\/127.0.0.1:9\/v1 are unknown/);
  assert.equal((await chooseModel({ MODEL, MODEL_NAME: 'a' }))?.model, 'a');
});

test('a base model uses completions, and an unknown wire is refused', async () => {
  const MODEL = 'http://127.0.0.1:9/v1';
  const chosen = await chooseModel({ MODEL, MODEL_NAME: 'a', MODEL_WIRE: 'completions' });
  assert.ok(chosen !== null);
  assert.deepEqual(parseModelsConfig(configOf(chosen)).ok, true);
  assert.partialDeepStrictEqual(configOf(chosen), { providers: { model: { kind: 'completions', baseUrl: MODEL } } });
  await assert.rejects(chooseModel({ MODEL, MODEL_NAME: 'a', MODEL_WIRE: 'soap' }), /MODEL_WIRE=soap is unknown/);
});

test('nothing is chosen without MODEL, and an address with a password or a query is refused', async () => {
  assert.equal(await chooseModel({ MODEL: '', MODEL_NAME: 'a' }), null);
  for (const bad of ['model', 'ftp://a', 'http://a:b@c', 'http://a/v1?key=x'])
    assert.throws(() => baseUrlOf(bad), /is not an address/);
});

test('programs that need no key get an environment without it', () => {
  const env = withoutModelKey({ MODEL: 'x', MODEL_KEY: KEY, MAKEFLAGS: ` -- MODEL_KEY=${KEY}` });
  assert.ok(!JSON.stringify(env).includes(KEY));
  assert.equal(env.MODEL, 'x');
});
