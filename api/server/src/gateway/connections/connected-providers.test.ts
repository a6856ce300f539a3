/** Providers that admins connect while the village runs: on every replica, for the village or one agent, tested and priced. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PutModelCredential, TestModel } from '@hamlet/contract';
import { ableServer, ANTHROPIC_WIRE, OPENAI_WIRE, type WireAnswer, type WireRequest } from '@hamlet/models/testing';
import { inTransaction, putCredential, readAudit, readCredentials } from '@hamlet/store';
import { codeOf, dataOf, refuses } from '@hamlet/test/env/client';
import { testFolder } from '@hamlet/test/env/at-end';
import { readConfig } from '../../start/config.ts';
import { rotateStoredCredentials } from '../../start/rotate-stored-credentials.ts';
import { clientOf, eventually, TOKENS, testVillage, type AgentId, Play } from '../../testing/test-village.ts';
import { testWire } from '../testing/wire-models.ts';

const KEY = 'sk-connected-0123456789';
const able = ableServer();
const BOBS_KEY = 'sk-bobs-own-9876543210';

const [village, wire] = await Promise.all([testVillage(), testWire()]);
const folder = testFolder('connected');
await writeFile(join(folder, 'first'), randomBytes(32).toString('base64'));
await writeFile(join(folder, 'current'), 'first');
const environment: Readonly<Record<string, string>> = { HAMLET_CREDENTIAL_KEYS_DIR: folder };
const one = new Play((await village.startReplica(environment)).peopleUrl);
const two = new Play((await village.startReplica(environment)).peopleUrl);
const db = village.openDb();
await one.everybody();

const MODELS = [{ name: 'small', model: 'up-model', context_tokens: 8_192, answer_tokens: 1_024 }];

const put = (body: PutModelCredential) => one.admin.putModelCredential(body);
const local = (more: Partial<PutModelCredential> = {}): PutModelCredential => ({
  name: 'local',
  kind: 'compatible',
  base_url: `${wire.url}/v1`,
  models: [{ name: 'small', model: 'up-model', context_tokens: 8_192 }],
  key: KEY,
  ...more,
});

function ask(play: Play, agentId: AgentId) {
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  return play.as(agentId).raw.completeChat({ model: 'small', messages });
}

function answerTo(key: string, path = '/v1/chat/completions'): void {
  wire.add({
    expect: { path, headers: { authorization: `Bearer ${key}` } },
    answer: OPENAI_WIRE.stream({ text: ['Good day.'] }),
  });
}

/** The provider's answers to the test of a model that has every ability. */
function answerTest(key: string): void {
  const { length } = ['words', 'tools', 'json', 'embeddings'];
  const answer = (request: WireRequest): WireAnswer => able(request) ?? { status: 404, chunks: [] };
  wire.add(...Array.from({ length }, () => ({ expect: { headers: { authorization: `Bearer ${key}` } }, answer })));
}

const providerOf = async (play: Play, agentId: AgentId): Promise<string> =>
  dataOf(await ask(play, agentId)).hamlet.provider;

test('a village without a configuration lists only the scripted mind', async () => {
  const visitor = clientOf(one.url);
  const shown = await visitor.showModels();
  assert.equal(shown.scripted_only, true);
  assert.partialDeepStrictEqual(
    shown.models.find(({ name }) => name === 'small'),
    { provider: 'scripted', kind: 'scripted', scripted: true, available: true },
  );
  assert.equal(shown.agent, null);
  const ofAda = await visitor.showModels({ agent_id: 'ada' });
  assert.partialDeepStrictEqual(ofAda.agent, { agent_id: 'ada', model: { scripted: true } });
  await refuses(visitor.showModels({ agent_id: 'zoe' }), 'no_such_agent');
});

test('a connected provider works on both replicas without a restart, and no answer, audit or log contains its key', async () => {
  const stored = (await put(local())).credential;
  assert.partialDeepStrictEqual(stored, {
    name: 'local',
    agent_id: null,
    key_id: 'first',
    fingerprint: createHash('sha256').update(KEY).digest('hex').slice(0, 12),
    last_test: null,
    tested_models: [],
  });
  assert.deepEqual(stored.provider, {
    kind: 'compatible',
    base_url: `${wire.url}/v1`,
    models: [{ name: 'small', model: 'up-model', context_tokens: 8_192, answer_tokens: 4_096 }],
    max_in_flight: null,
  });
  answerTo(KEY);
  assert.equal(await providerOf(one, 'bob'), 'local', 'at once on the replica that stored it');
  await eventually('the other replica', async () => {
    const { models } = await two.admin.showModels();
    return models.find(({ name }) => name === 'small')?.provider === 'local';
  });
  answerTo(KEY);
  assert.equal(await providerOf(two, 'bob'), 'local');
  const shown = await two.admin.showModels({ agent_id: 'bob' });
  assert.equal(shown.scripted_only, false);
  assert.partialDeepStrictEqual(shown.agent, { model: { provider: 'local', name: 'small', scripted: false } });
  const listed = await two.admin.listModelCredentials();
  assert.ok(listed.credentials[0]?.used_by.agents.includes('bob'));
  assert.equal(listed.credentials[0]?.used_by.total, listed.credentials[0]?.used_by.agents.length);
  assert.partialDeepStrictEqual(listed.configured, [
    { name: 'scripted', kind: 'scripted', base_url: null, available: true },
  ]);
  const acts = await readAudit(db, 'local', 50);
  assert.ok(!JSON.stringify([stored, shown, listed, acts, village.logs]).includes(KEY));
  await refuses(clientOf(one.url, TOKENS.member).listModelCredentials(), 'forbidden');
  wire.verify();
});

test("an agent's own provider takes precedence over the village's, for that agent only", async () => {
  const anthropic = {
    name: 'bobs',
    agent_id: 'bob',
    kind: 'anthropic' as const,
    base_url: `${wire.url}/v1`,
    key: BOBS_KEY,
  };
  await put({ ...anthropic, models: [{ name: 'small', model: 'claude' }] });
  wire.add({
    expect: { path: '/v1/messages', headers: { 'x-api-key': BOBS_KEY } },
    answer: ANTHROPIC_WIRE.stream({ text: ['Mine.'] }),
  });
  assert.equal(await providerOf(one, 'bob'), 'bobs');
  answerTo(KEY);
  assert.equal(await providerOf(one, 'cleo'), 'local');
  const query = { agent_id: 'bob' };
  await one.admin.deleteModelCredential({ name: 'bobs', ...query });
  answerTo(KEY);
  assert.equal(await providerOf(one, 'bob'), 'local');
  await put({ name: 'local', agent_id: 'bob', key: BOBS_KEY });
  answerTo(BOBS_KEY);
  assert.equal(await providerOf(one, 'bob'), 'local', "the village's provider with the agent's own key");
  await one.admin.deleteModelCredential({ name: 'local', ...query });
  wire.verify();
});

test('the test of a provider is timed, classified and stored, and its failure suggests the next step', async () => {
  const run = async (body: TestModel) => await one.admin.testModel(body);
  answerTest(KEY);
  assert.partialDeepStrictEqual(await run({ credential: 'local' }), {
    ok: true,
    text: 'Good day.',
    fix: null,
    tools: true,
    cost: null,
  });
  const lastTest = async () => (await one.admin.listModelCredentials()).credentials[0]?.last_test;
  assert.partialDeepStrictEqual(await lastTest(), { ok: true, code: null });
  wire.add({ answer: OPENAI_WIRE.errors.auth });
  const failed = await run({ model: 'small' });
  assert.partialDeepStrictEqual(failed, { ok: false, code: 'auth', text: null });
  assert.match(failed.fix ?? '', /^Store a valid key/);
  assert.partialDeepStrictEqual(await lastTest(), { ok: false, code: 'auth' });
  answerTest('sk-not-stored-yet');
  const connection = { kind: 'compatible' as const, base_url: `${wire.url}/v1`, key: 'sk-not-stored-yet', model: 'x' };
  assert.partialDeepStrictEqual(await run({ connection }), { ok: true, provider: 'compatible' });
  const away = { ...connection, base_url: 'http://127.0.0.1:9/v1' };
  assert.partialDeepStrictEqual(await run({ connection: away }), { ok: false, code: 'unreachable' });
  await refuses(one.admin.testModel({ credential: 'none' }), 'no_such_provider');
  await refuses(one.admin.testModel(), 'validation_failed');
  wire.verify();
});

test('the prices of a connected provider determine the cost of a test; equal tokens cost the same', async () => {
  const prices = [{ model: 'up-*', prompt: '2.5', completion: '10' }];
  const stored = await one.admin.putModelPrices({ name: 'local', currency: 'USD', prices });
  const expected = {
    provider: 'local',
    agent_id: null,
    model: 'up-*',
    currency: 'USD',
    prompt: '2.5',
    cached_prompt: null,
    cache_write: null,
    completion: '10',
    source: 'stored' as const,
  };
  assert.deepEqual(stored.prices, [expected]);
  assert.deepEqual((await two.admin.listModelPrices()).prices, [expected]);
  const costs = [];
  for (let count = 0; count < 2; count += 1) {
    for (const wireOf of [OPENAI_WIRE.stream, OPENAI_WIRE.plain, OPENAI_WIRE.plain])
      wire.add({ answer: wireOf({ text: ['Yes.'], usage: { prompt: 50, completion: 10 } }) });
    wire.add({ answer: OPENAI_WIRE.errors.bad_request });
    costs.push((await one.admin.testModel({ credential: 'local' })).cost);
  }
  // 150 tokens at 2.5 and 30 at 10 per million each, in three requests; the fourth is refused.
  assert.deepEqual(costs, [
    { currency: 'USD', amount: '0.000675' },
    { currency: 'USD', amount: '0.000675' },
  ]);
  const none = one.admin.raw.putModelPrices({ name: 'none', currency: 'USD', prices });
  await refuses(none, 'no_such_provider');
});

test('link-local and metadata addresses are refused, and so are names that the configuration uses', async () => {
  const bad = { ...local(), base_url: 'http://169.254.169.254/v1' };
  await refuses(put(bad), 'address_refused');
  const connection = { kind: 'vllm' as const, base_url: 'http://metadata.google.internal/v1', model: 'x' };
  await refuses(one.admin.testModel({ connection }), 'address_refused');
  await refuses(put(local({ base_url: 'ftp://example.org' })), 'validation_failed');
  await refuses(put(local({ name: 'Not A Name' })), 'validation_failed');
  await refuses(put({ name: 'x', kind: 'openai', models: [{ name: 'small' }] }), 'validation_failed');
  await refuses(
    put({ name: 'scripted', key: KEY, kind: 'openai', models: [{ name: 'small' }] }),
    'provider_configured',
  );
});

test('a key can be used only for the address of its provider', async () => {
  const [row] = await readCredentials(db);
  assert.ok(row !== undefined);
  const moveTo = (base_url: string) =>
    inTransaction(db, (tx) =>
      putCredential(tx, { ...row, provider: { kind: 'compatible', base_url, max_in_flight: null, models: MODELS } }),
    );
  // A request before the replica has read the change would reach the server at its old address.
  const isServed = async () => (await one.admin.showModels()).models.find(({ name }) => name === 'small')?.available;
  await moveTo('http://127.0.0.1:9/v1');
  await eventually('the changed address', async () => (await isServed()) === false);
  await refuses(ask(one, 'bob'), 'model_not_served');
  await moveTo(`${wire.url}/v1`);
  await eventually('the address again', isServed);
  answerTo(KEY);
  assert.equal(await codeOf(ask(one, 'bob')), null);
  wire.verify();
});

test('the key of a provider is rotated with the others', async () => {
  await writeFile(join(folder, 'second'), randomBytes(32).toString('base64'));
  await writeFile(join(folder, 'current'), 'second');
  assert.equal(
    await rotateStoredCredentials(readConfig({ ...village.environment, ...environment }), () => undefined),
    0,
  );
  assert.deepEqual(
    (await readCredentials(db)).map(({ envelope }) => envelope?.keyId),
    ['second'],
  );
  answerTo(KEY);
  await eventually('the new key', async () => (await codeOf(ask(two, 'bob'))) === null);
});

test('a server can be connected without a key; removing it brings the scripted mind back', async () => {
  await put({ name: 'local', kind: 'vllm', base_url: `${wire.url}/v1`, models: [{ name: 'small', model: 'own' }] });
  wire.add({ answer: OPENAI_WIRE.stream({ text: ['No key.'] }) });
  assert.equal(await providerOf(one, 'bob'), 'local');
  await one.admin.deleteModelCredential({ name: 'local' });
  assert.equal(await providerOf(one, 'bob'), 'scripted');
  await eventually('the other replica', async () => (await providerOf(two, 'bob')) === 'scripted');
});
