/** A test of a connected model detects its abilities, which the gateway then respects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelOffer, TestModel } from '@hamlet/contract';
import { ableServer, type Lack, type WireAnswer, type WireRequest } from '@hamlet/models/testing';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { startPlay } from '../../testing/test-village.ts';
import { testWire } from '../testing/wire-models.ts';

let answer: (request: WireRequest) => WireAnswer | null = ableServer();

const otherwise = (request: WireRequest): WireAnswer | null => answer(request);
const wire = await testWire([], { otherwise });
const { play } = await startPlay();

async function connect(more: Partial<ModelOffer> = {}): Promise<void> {
  const body = {
    name: 'local',
    kind: 'vllm' as const,
    base_url: `${wire.url}/v1`,
    models: [{ name: 'small', model: 'm', ...more }],
  };
  await play.admin.putModelCredential(body);
}

async function tested(body: TestModel = { credential: 'local' }) {
  const { ok, text, tools, abilities } = await play.admin.testModel(body);
  const can = Object.fromEntries(abilities.map((each) => [each.ability, each.can]));
  const notes = Object.fromEntries(abilities.map((each) => [each.ability, each.note]));
  return { ok, text, tools, can, notes };
}

const kept = async () => (await play.admin.listModelCredentials()).credentials[0]?.tested_models;
const messages = [{ role: 'user' as const, content: 'Hello' }];
const ask = (more: object = {}) => play.as('bob').raw.completeChat({ model: 'small', messages, ...more });
const embed = () => play.as('bob').raw.createEmbeddings({ model: 'small', input: 'heron' });
const SCHEMA = { type: 'json_schema' as const, json_schema: { name: 'x', schema: { type: 'object' } } };
const TOOLS = [{ type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } }];
const ALL = { stream: true, tools: true, json: true, embeddings: true };
const lastBody = (): Readonly<Record<string, unknown>> => wire.requests.at(-1)?.body as Record<string, unknown>;

test('a test detects all abilities of a server in four requests, also before the provider is stored', async () => {
  answer = ableServer();
  await connect();
  const before = wire.requests.length;
  const found = await tested();
  assert.deepEqual(found.can, ALL);
  assert.equal(found.text, 'Good day.');
  assert.equal(found.notes['embeddings'], 'It made a vector of 2 numbers.');
  assert.equal(wire.requests.length - before, 4);
  assert.ok(
    wire.requests.slice(before).every(({ body }) => Number((body as { max_tokens?: number }).max_tokens ?? 0) <= 256),
  );
  assert.deepEqual(await kept(), [{ model: 'm', ...ALL }]);
  const connection = { kind: 'vllm' as const, base_url: `${wire.url}/v1`, model: 'untried' };
  assert.deepEqual((await tested({ connection })).can, ALL);
});

const CASES: readonly { readonly lacks: Lack; readonly ability: keyof typeof ALL; readonly note: RegExp }[] = [
  { lacks: 'stream', ability: 'stream', note: /whole answers only.*stream is not supported/ },
  { lacks: 'tools', ability: 'tools', note: /refuses a request with a tool: .*tools is not supported/ },
  { lacks: 'json', ability: 'json', note: /refuses a schema: .*response_format is not supported/ },
  { lacks: 'ignored-json', ability: 'json', note: /did not follow it/ },
  { lacks: 'embeddings', ability: 'embeddings', note: /refuses embeddings: .*embeddings is not supported/ },
];

for (const { lacks, ability, note } of CASES)
  test(`a test detects every ability of a server except ${ability} (${lacks})`, async () => {
    answer = ableServer([lacks]);
    await connect();
    const found = await tested();
    assert.equal(found.ok, true);
    assert.deepEqual(found.can, { ...ALL, [ability]: false });
    assert.match(found.notes[ability] ?? '', note);
    assert.deepEqual(await kept(), [{ model: 'm', ...ALL, [ability]: false }]);
  });

test('after its test, a model that cannot stream gives agents whole answers', async () => {
  answer = ableServer(['stream']);
  await connect();
  await refuses(ask(), 'model_bad_request', 'not tested yet');
  await tested();
  const said = dataOf(await ask());
  assert.equal(said.choices[0]?.message.content, 'Good day.');
  assert.equal(lastBody()['stream'], false);
});

test('a model without tools is asked without them, and the answer notes that', async () => {
  answer = ableServer(['tools']);
  await connect();
  await refuses(ask({ tools: TOOLS }), 'model_bad_request', 'not tested yet');
  await tested();
  assert.deepEqual(dataOf(await ask({ tools: TOOLS })).hamlet.notes, ['tools_ignored']);
  assert.equal(lastBody()['tools'], undefined);
  assert.match(JSON.stringify(lastBody()), /You cannot use tools in this answer/);
});

test("a schema is refused without asking a model that ignores schemas; the agent's configuration says so", async () => {
  answer = ableServer(['ignored-json']);
  await connect();
  await tested();
  const before = wire.requests.length;
  await refuses(ask({ response_format: SCHEMA }), 'model_bad_request', /does not support schemas/);
  assert.equal(wire.requests.length, before, 'the server is not asked');
  const config = await play.as('bob').getAgentConfig({ agent_id: 'bob' });
  assert.partialDeepStrictEqual(config.model, { json: false, tools: true });
});

test('embeddings of a model without them are refused before the model is asked', async () => {
  answer = ableServer(['embeddings']);
  await connect();
  await tested();
  const before = wire.requests.length;
  await refuses(embed(), 'model_bad_request', /no embeddings/);
  assert.equal(wire.requests.length, before);
});

test('a model with embeddings only passes the test and serves them', async () => {
  answer = ableServer(['words']);
  await connect();
  const found = await tested();
  assert.equal(found.ok, true);
  assert.equal(found.text, null);
  assert.deepEqual(found.can, { stream: null, tools: null, json: null, embeddings: true });
  assert.deepEqual(dataOf(await embed()).data[0]?.embedding, [0.5, 0.5]);
});

test("a later test finds an ability again; an admin's setting overrides any test", async () => {
  answer = ableServer(['tools']);
  await connect();
  await tested();
  answer = ableServer();
  assert.deepEqual((await tested({ model: 'small' })).can, ALL);
  assert.equal(dataOf(await ask({ tools: TOOLS })).choices[0]?.message.tool_calls?.length, 1);
  await connect({ tools: false });
  assert.deepEqual((await tested()).can, ALL, 'the test also probes an ability that the admin denied');
  assert.deepEqual(dataOf(await ask({ tools: TOOLS })).hamlet.notes, ['tools_ignored']);
});

test('if a server is busy, the ability stays unknown and the gateway keeps its behaviour', async () => {
  const able = ableServer();
  answer = (request) => ('tools' in (request.body as object) ? { status: 503, chunks: ['{}'] } : able(request));
  await connect();
  const found = await tested();
  assert.deepEqual(found.can, { ...ALL, tools: null });
  assert.equal(found.tools, null);
  assert.match(found.notes['tools'] ?? '', /^Unknown, test again/);
  answer = able;
  assert.equal(dataOf(await ask({ tools: TOOLS })).choices[0]?.message.tool_calls?.length, 1);
});

test('each model of a provider has its own test results; reconnecting the provider clears them', async () => {
  answer = ableServer(['tools']);
  const body = {
    name: 'local',
    kind: 'vllm' as const,
    base_url: `${wire.url}/v1`,
    models: [
      { name: 'small', model: 'm' },
      { name: 'large', model: 'n' },
    ],
  };
  await play.admin.putModelCredential(body);
  await tested();
  answer = ableServer();
  assert.deepEqual((await tested({ credential: 'local', model: 'large' })).can, ALL);
  assert.deepEqual(await kept(), [
    { model: 'm', ...ALL, tools: false },
    { model: 'n', ...ALL },
  ]);
  await refuses(play.admin.testModel({ credential: 'local', model: 'none' }), 'model_not_served');
  await connect();
  assert.deepEqual(await kept(), []);
  await play.admin.deleteModelCredential({ name: 'local' });
});

test('a provider whose newest test failed is connected only if the admin accepts that', async () => {
  const connection = { kind: 'vllm' as const, base_url: `${wire.url}/v1`, model: 'm' };
  const body = {
    name: 'tried',
    kind: 'vllm' as const,
    base_url: `${wire.url}/v1`,
    models: [{ name: 'tried-small', model: 'm' }],
  };
  answer = () => ({ status: 401, chunks: [JSON.stringify({ error: { message: 'no such key' } })] });
  const tried = await play.admin.testModel({ connection });
  assert.deepEqual([tried.ok, tried.code], [false, 'auth']);
  const refusal = await play.admin.raw.putModelCredential(body);
  assert.equal(refusal.ok ? 'ok' : refusal.problem.code, 'provider_test_failed');
  assert.match(
    refusal.ok ? '' : (refusal.problem.detail ?? ''),
    /refuses the key.*An admin of the village can mend it/,
  );
  const other = { ...body, models: [{ name: 'tried-small', model: 'another' }] };
  dataOf(await play.admin.raw.putModelCredential(other));
  dataOf(await play.admin.raw.putModelCredential({ ...body, accept_failed_test: true }));
  answer = ableServer();
  assert.ok((await play.admin.testModel({ connection })).ok);
  const { credential } = dataOf(await play.admin.raw.putModelCredential(body));
  assert.equal(credential.last_test?.ok, true, 'the test before the connection counts');
  assert.deepEqual(credential.tested_models, [{ model: 'm', ...ALL }]);
  await play.admin.deleteModelCredential({ name: 'tried' });
});
