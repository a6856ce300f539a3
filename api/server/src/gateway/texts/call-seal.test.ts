/** The audit and the sealed log have one line for each model request: model, tokens, cost and salted hashes, but no text. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { AuditRecord } from '@hamlet/contract';
import { ableServer, OPENAI_WIRE, type WireAnswer, type WireRequest } from '@hamlet/models/testing';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { eventually, testVillage, withTokenPrice, type AgentId, Play } from '../../testing/test-village.ts';
import { testWire, wireModels } from '../testing/wire-models.ts';

const SECRET = 'The secret word is xylophone.';
const MESSAGES = [{ role: 'user' as const, content: SECRET }];

const able = ableServer([], 'A marimba.');
let answer: (request: WireRequest) => WireAnswer | null = able;

const otherwise = (request: WireRequest): WireAnswer | null => answer(request);
const [village, wire] = await Promise.all([testVillage(), testWire([], { otherwise })]);
await village.writeSample('good-entitlement-tier-0.yaml', withTokenPrice);
const play = new Play((await village.startReplica({}, { models: wireModels(wire.url) })).peopleUrl);
await play.everybody();
for (const agent_id of ['bob', 'cleo', 'dan'] as const)
  await play.admin.rewardAgent({ agent_id, amount: '1', reason: 'money' });

const ask = (agentId: AgentId) => play.as(agentId).raw.completeChat({ model: 'small', messages: MESSAGES });

async function linesOf(actor: string): Promise<readonly AuditRecord[]> {
  return (await play.admin.listAudit({ action: 'models.call', actor })).records;
}

async function onlyLine(actor: string): Promise<AuditRecord & { readonly detail: Readonly<Record<string, unknown>> }> {
  const [line, ...more] = await linesOf(actor);
  assert.ok(line !== undefined && more.length === 0, `${more.length} more`);
  return line as AuditRecord & { detail: Readonly<Record<string, unknown>> };
}

const hashOf = (salt: string, text: string): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(text).digest('hex');

test('the line of an answer has model, provider, tokens and cost, and hashes that only the caller can verify', async () => {
  const { hamlet } = dataOf(await ask('bob'));
  const line = await onlyLine('bob');
  const { recent } = await play.admin.getModelUse({ agent_id: 'bob' });
  assert.equal(line.object, recent[0]?.request_id);
  assert.deepEqual(line.detail, {
    model: 'small',
    provider: 'upstream',
    run_id: null,
    outcome: 'done',
    prompt_tokens: hamlet.tokens.prompt,
    completion_tokens: hamlet.tokens.completion,
    estimated: false,
    cost: hamlet.price,
    prompt_sha256: hamlet.seal?.prompt_sha256,
    answer_sha256: hamlet.seal?.answer_sha256,
  });
  assert.equal(hamlet.price, '0.018');
  const { salt = '' } = hamlet.seal ?? {};
  assert.equal(hashOf(salt, JSON.stringify(MESSAGES)), line.detail['prompt_sha256']);
  assert.equal(hashOf(salt, JSON.stringify({ content: 'A marimba.', tool_calls: [] })), line.detail['answer_sha256']);
  const stored = JSON.stringify(line);
  assert.ok(!stored.includes(salt) && !/xylophone|marimba/.test(stored), 'neither salt nor text is stored');
  const again = dataOf(await ask('bob')).hamlet.seal;
  assert.notEqual(again?.prompt_sha256, hamlet.seal?.prompt_sha256, 'equal prompts have different hashes');
});

test('the line is sealed', async () => {
  const [line] = await linesOf('bob');
  const proof = await eventually('its proof', async () => {
    const found = await play.admin.raw.getLogProof({ record_id: line?.record_id ?? '' });
    return found.ok && found.data;
  });
  assert.equal(proof.kind, 'act');
});

test('a failure, an answer that a measure ends, and embeddings have their lines too', async () => {
  answer = () => OPENAI_WIRE.errors.bad_request;
  await refuses(ask('cleo'), 'model_bad_request');
  assert.partialDeepStrictEqual((await onlyLine('cleo')).detail, { outcome: 'failed', prompt_tokens: 0, cost: '0' });

  const whole = OPENAI_WIRE.stream({ text: ['First words.'] });
  answer = () => ({ ...whole, chunks: [...whole.chunks.slice(0, 2), 'hold'] });
  const asked = wire.requests.length;
  const cut = ask('dan');
  await eventually('the request at the provider', () => wire.requests.length > asked);
  await play.admin.quarantineAgent({ agent_id: 'dan', reason: 'test' });
  await refuses(cut, 'agent_quarantined');
  const ended = await onlyLine('dan');
  assert.partialDeepStrictEqual(ended.detail, { outcome: 'cancelled', estimated: true });
  assert.ok(Number(ended.detail['cost']) > 0);

  answer = able;
  await play.admin.rewardAgent({ agent_id: 'fay', amount: '1', reason: 'money' });
  const vectors = await play.as('fay').createEmbeddings({ model: 'small', input: SECRET });
  const line = await onlyLine('fay');
  const { salt = '' } = vectors.hamlet.seal ?? {};
  assert.equal(line.detail['prompt_sha256'], hashOf(salt, JSON.stringify([SECRET])));
  assert.equal(line.detail['answer_sha256'], hashOf(salt, JSON.stringify([[0.5, 0.5]])));
});

test('a request refused before the provider is asked has no line; no request has two', async () => {
  await refuses(ask('eve'), 'insufficient_funds');
  assert.deepEqual(await linesOf('eve'), []);
  const { records } = await play.admin.listAudit({ action: 'models.call', limit: 50 });
  assert.equal(records.length, 5);
  assert.equal(new Set(records.map(({ object }) => object)).size, records.length);
});

test('one filter leaves all frequent acts of agents out of the audit', async () => {
  const { records } = await play.admin.listAudit({ except: 'turn, models.call' });
  assert.ok(records.length > 0 && records.every(({ action }) => action !== 'models.call' && action !== 'turn'));
});
