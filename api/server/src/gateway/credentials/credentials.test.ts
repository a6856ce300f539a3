/** Model credentials over HTTP: sealed, never returned, audited, for the village or one agent, tested and rotated. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ableServer, OPENAI_WIRE, type WireAnswer, type WireRequest } from '@hamlet/models/testing';
import { CREDENTIALS_MAX, inTransaction, putCredential, readAudit, readCredentials } from '@hamlet/store';
import { codeOf, dataOf, refuses } from '@hamlet/test/env/client';
import { testFolder } from '@hamlet/test/env/at-end';
import { readConfig } from '../../start/config.ts';
import { clientOf, eventually, TOKENS, testVillage, type AgentId, Play } from '../../testing/test-village.ts';
import { rotateStoredCredentials } from '../../start/rotate-stored-credentials.ts';
import { testWire } from '../testing/wire-models.ts';

const VILLAGE_KEY = 'sk-village-0123456789';
const ADAS_KEY = 'sk-bobs-own-9876543210';

const writeKey = (id: string): Promise<void> => writeFile(join(folder, id), randomBytes(32).toString('base64'));

const [village, wire] = await Promise.all([testVillage(), testWire()]);
const folder = testFolder('credential-keys');
await writeKey('first');
await writeFile(join(folder, 'current'), 'first\n');
const config = {
  providers: { up: { kind: 'compatible', baseUrl: `${wire.url}/v1`, credential: 'up-key' } },
  routes: [{ match: 'small', provider: 'up', model: 'up-model' }],
  retry: { attempts: 1 },
};
const environment: Readonly<Record<string, string>> = {
  HAMLET_MODELS: JSON.stringify(config),
  HAMLET_CREDENTIAL_KEYS_DIR: folder,
};
const one = new Play((await village.startReplica(environment)).peopleUrl);
const two = new Play((await village.startReplica(environment)).peopleUrl);
const db = village.openDb();
await one.everybody();

function ask(play: Play, agentId: AgentId) {
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  return play.as(agentId).raw.completeChat({ model: 'small', messages });
}

function answerTo(key: string): void {
  wire.add({
    expect: { headers: { authorization: `Bearer ${key}` } },
    answer: OPENAI_WIRE.stream({ text: ['Good day.'] }),
  });
}

test('a stored key works on every replica, is sealed in the database, and appears in no answer, audit or log', async () => {
  await refuses(ask(one, 'bob'), 'model_not_served');
  const before = await one.admin.listModelCredentials();
  assert.partialDeepStrictEqual(before, {
    enabled: true,
    credentials: [],
    needed: [{ name: 'up-key', providers: ['up'], available: false }],
  });
  const stored = await one.admin.raw.putModelCredential({ name: 'up-key', key: VILLAGE_KEY });
  assert.deepEqual(
    [dataOf(stored).credential.name, dataOf(stored).credential.agent_id, dataOf(stored).credential.key_id],
    ['up-key', null, 'first'],
  );
  answerTo(VILLAGE_KEY);
  assert.equal(await codeOf(ask(one, 'bob')), null, 'at once on the replica that stored it');
  await eventually(
    'the other replica',
    async () => (await two.admin.listModelCredentials()).needed[0]?.available === true,
  );
  answerTo(VILLAGE_KEY);
  assert.equal(await codeOf(ask(two, 'bob')), null);
  const rows = await readCredentials(db);
  assert.ok(rows.every(({ envelope }) => envelope?.sealed.includes(VILLAGE_KEY) === false));
  const acts = await readAudit(db, 'up-key', 50);
  const listed = await one.admin.listModelCredentials();
  assert.ok(!JSON.stringify([stored, acts, listed, village.logs]).includes(VILLAGE_KEY));
  assert.ok(JSON.stringify(acts).includes('models.credential_put'));
  wire.verify();
});

test("an agent's own key takes precedence over the village's, for that agent only, until it is removed", async () => {
  const own = { name: 'up-key', agent_id: 'bob', key: ADAS_KEY };
  await one.admin.putModelCredential(own);
  answerTo(ADAS_KEY);
  assert.equal(await codeOf(ask(one, 'bob')), null);
  answerTo(VILLAGE_KEY);
  assert.equal(await codeOf(ask(one, 'cleo')), null);
  const remove = () => one.admin.deleteModelCredential({ name: 'up-key', agent_id: 'bob' });
  assert.deepEqual(await remove(), { removed: true });
  assert.deepEqual(await remove(), { removed: false });
  answerTo(VILLAGE_KEY);
  assert.equal(await codeOf(ask(one, 'bob')), null);
  wire.verify();
});

test('the test of a model reports whether it answers, and otherwise why not, without revealing the key', async () => {
  const run = async (body: { model: string; agent_id?: string }) => await one.admin.testModel(body);
  const able = ableServer();
  const answer = (request: WireRequest): WireAnswer => able(request) ?? { status: 404, chunks: [] };
  const expect = { headers: { authorization: `Bearer ${VILLAGE_KEY}` } };
  // Requests for words, tools, JSON and embeddings.
  wire.add(...Array.from({ length: 4 }, () => ({ expect, answer })));
  assert.partialDeepStrictEqual(await run({ model: 'small' }), {
    ok: true,
    provider: 'up',
    text: 'Good day.',
    code: null,
    tools: true,
  });
  wire.add({ answer: OPENAI_WIRE.errors.auth });
  const refused = await run({ model: 'small', agent_id: 'bob' });
  assert.partialDeepStrictEqual(refused, { ok: false, text: null, code: 'auth' });
  assert.ok(!JSON.stringify(refused).includes('sk-'));
  await refuses(one.admin.testModel({ model: 'other' }), 'model_not_served');
  await refuses(one.admin.testModel({ model: 'small', agent_id: 'zoe' }), 'no_such_agent');
  await one.admin.freezeVillage({ reason: 'test' });
  await refuses(one.admin.testModel({ model: 'small' }), 'village_frozen');
  await one.admin.liftVillageFreeze();
  wire.verify();
});

test('after a rotation the old key can be removed; credentials that cannot be opened are named', async () => {
  const lines: string[] = [];
  const rotate = (): Promise<number> =>
    rotateStoredCredentials(readConfig({ ...village.environment, ...environment }), (line) => void lines.push(line));
  await writeKey('second');
  await writeFile(join(folder, 'current'), 'second');
  assert.equal(await rotate(), 0);
  assert.match(lines.join(), /^1 credentials are now sealed by the current key; 0 were already/);
  await rm(join(folder, 'first'));
  assert.equal(await rotate(), 0);
  assert.deepEqual(
    (await readCredentials(db)).map(({ envelope }) => envelope?.keyId),
    ['second'],
  );
  await eventually('the new key at the api', async () => {
    answerTo(VILLAGE_KEY);
    return (await codeOf(ask(one, 'dan'))) === null;
  });
  await writeKey('third');
  await writeFile(join(folder, 'current'), 'third');
  await rm(join(folder, 'second'));
  assert.equal(await rotate(), 1);
  assert.match(lines.at(-1) ?? '', /not opened: up-key\. Fix/);
});

test('a village stores a limited number of credentials; an existing one may be replaced', async () => {
  const envelope = { keyId: 'third', sealedDataKey: Buffer.alloc(60), sealed: Buffer.alloc(40) };
  const sealed = { envelope, fingerprint: null, provider: null, prices: null, createdBy: 'test' };
  const count = CREDENTIALS_MAX - (await readCredentials(db)).length;
  await inTransaction(db, async (tx) => {
    for (let number = 0; number < count; number += 1)
      assert.ok(await putCredential(tx, { name: `filler-${number}`, agentId: null, ...sealed }));
  });
  const put = (name: string) => one.admin.putModelCredential({ name, key: VILLAGE_KEY });
  await refuses(put('one-too-many'), 'too_many_credentials');
  assert.equal(await codeOf(put('up-key')), null);
});

test('without a sealing key, nothing can be stored; members may not manage credentials', async () => {
  const off = new Play((await village.startReplica({ HAMLET_MODELS: environment['HAMLET_MODELS'] ?? '' })).peopleUrl);
  const body = { name: 'up-key', key: VILLAGE_KEY };
  await refuses(off.admin.putModelCredential(body), 'credentials_off');
  assert.equal((await off.admin.listModelCredentials()).enabled, false);
  await refuses(clientOf(off.url, TOKENS.member).putModelCredential(body), 'forbidden');
  const bad = { ...body, key: 'two words of a key' };
  await refuses(off.admin.putModelCredential(bad), 'validation_failed');
});
