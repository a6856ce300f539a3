/**
 * A provider with one place: other agents' requests wait for it, end with their callers, and are refused after a time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPENAI_WIRE } from '@hamlet/models/testing';
import { closeAgentAccount, inTransaction } from '@hamlet/store';
import { agentToken, eventually, testVillage, type AgentId, Play } from '../testing/test-village.ts';
import { testWire, wireModels } from './testing/wire-models.ts';

const PLACES = { maxInFlight: 1 };

const [village, wire] = await Promise.all([testVillage(), testWire()]);
const replica = await village.startReplica({}, { models: wireModels(wire.url, PLACES) });
const metricsUrl = replica.metricsUrl;
const db = village.openDb();
const play = new Play(replica.peopleUrl);
const impatient = { ...PLACES, queue: { maxWaiting: 5, waitMs: 20 } };
const impatientUrl = (await village.startReplica({}, { models: wireModels(wire.url, impatient) })).peopleUrl;
await play.everybody();

function ask(agentId: AgentId, url = play.url, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agentToken(agentId)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Talk.' }] }),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function waiting(count: number): Promise<void> {
  await eventually(`${count} waiting`, async () => {
    const text = await (await fetch(`${metricsUrl}/metrics`)).text();
    return text.includes(`hamlet_model_requests_waiting{provider="upstream"} ${count}`);
  });
}

/** Takes the place at the provider with a request of an agent, which is answered once `held` resolves. */
async function occupy(agentId: AgentId, url?: string) {
  const held = Promise.withResolvers<void>();
  const whole = OPENAI_WIRE.stream({ text: ['slow'] });
  wire.add({ answer: { ...whole, chunks: [{ until: held.promise }, ...whole.chunks] } });
  const before = wire.requests.length;
  const first = ask(agentId, url);
  await eventually('the first request at the provider', () => wire.requests.length === before + 1);
  return { held, first };
}

test('a request waits for a place at the provider; it is never sent if its caller leaves', async () => {
  const { held, first } = await occupy('bob');
  wire.add({ answer: OPENAI_WIRE.stream({ text: ['next'] }) });
  const second = ask('cleo');
  await waiting(1);
  const leaving = new AbortController();
  const third = ask('dan', play.url, leaving.signal).catch(() => null);
  await waiting(2);
  leaving.abort();
  assert.equal(await third, null);
  await waiting(1);
  assert.equal(wire.requests.length, 1);
  const asking = await eventually('the end of the request that left', async () => {
    const read = (await play.admin.listModelServers()).asking;
    return read.length === 2 && read;
  });
  assert.deepEqual(
    asking,
    ['bob', 'cleo'].map((agent_id) => ({ provider: 'upstream', agent_id, requests: 1 })),
  );
  held.resolve();
  for (const [answer, text] of [
    [first, 'slow'],
    [second, 'next'],
  ] as const) {
    const { choices, hamlet } = (await (await answer).json()) as {
      choices: { message: { content: string } }[];
      hamlet: { queue_ms: number };
    };
    assert.equal(choices[0]?.message.content, text);
    assert.ok(hamlet.queue_ms >= 0);
  }
  const use = await eventually('the record of the caller who left', async () => {
    const data = await play.admin.getModelUse({ agent_id: 'dan' });
    return data.in_flight === 0 && data.recent.length > 0 ? data : null;
  });
  assert.deepEqual([use.in_flight, use.tokens.used, use.recent[0]?.outcome], [0, 0, 'cancelled']);
  wire.verify();
});

test('a request that waits too long is refused with the time to wait, and uses no tokens', async () => {
  const { held, first } = await occupy('eve', impatientUrl);
  const refused = await ask('fay', impatientUrl);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '5']);
  assert.equal(((await refused.json()) as { code: string }).code, 'model_busy');
  held.resolve();
  assert.equal((await first).status, 200);
  const use = await play.admin.getModelUse({ agent_id: 'fay' });
  assert.deepEqual([use.in_flight, use.tokens.used, use.recent[0]?.outcome], [0, 0, 'failed']);
  wire.verify();
});

test('a request that cannot pay once it has its place is recorded as not paid, and is never sent', async () => {
  const close = () => inTransaction(db, (tx) => closeAgentAccount(tx, 'ada'));
  for (const [code, meanwhile] of [
    ['insufficient_funds', () => undefined],
    ['account_closed', close],
  ] as const) {
    const { held, first } = await occupy('bob');
    const sent = wire.requests.length;
    const second = ask('ada');
    await waiting(1);
    await meanwhile();
    held.resolve();
    assert.equal(((await (await second).json()) as { code: string }).code, code);
    assert.equal((await first).status, 200);
    assert.equal((await play.admin.getModelUse({ agent_id: 'ada' })).recent[0]?.outcome, 'not_paid', code);
    assert.equal(wire.requests.length, sent);
  }
});

test('a request that a freeze of the village ends while it waits is recorded as cancelled', async () => {
  const { held, first } = await occupy('bob');
  const second = ask('eve');
  await waiting(1);
  await play.admin.freezeVillage({ reason: 'odd' });
  const refused = (await (await second).json()) as { code: string };
  held.resolve();
  await first;
  assert.equal(refused.code, 'village_frozen');
  assert.equal((await play.admin.getModelUse({ agent_id: 'eve' })).recent[0]?.outcome, 'cancelled');
});
