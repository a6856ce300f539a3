/**
 * An agent that asked recently is not looked up again, because the admission verifies it. Notifications are off here,
 * as if each one were lost.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPENAI_WIRE } from '@hamlet/models/testing';
import {
  closeLife,
  inTransaction,
  liftMeasure,
  raiseCycle,
  readModelRequests,
  replaceApiKeys,
  revokeAgentSessions,
  takeMeasure,
} from '@hamlet/store';
import { dataOf, refusalOf, type TestClient } from '@hamlet/test/env/client';
import { clientOf, type AgentId, startPlay } from '../testing/test-village.ts';
import { testWire, wireModels } from './testing/wire-models.ts';

const BY = { role: 'admin', id: 'ann' };

const wire = await testWire();
const { village, play } = await startPlay({ models: wireModels(wire.url) });
const db = village.openDb();

interface Resident {
  readonly client: TestClient;
  readonly uid: string;
  readonly cycle: number;
}

/** A resident with an agent token, which has made one request. */
async function knownResident(agentId: AgentId): Promise<Resident> {
  const { access_token: token, uid, cycle } = await play.as(agentId).exchangeAgentToken();
  const client = clientOf(play.url, token);
  wire.add({ answer: OPENAI_WIRE.stream({ text: ['Good morning.'] }) });
  dataOf(await ask(client));
  return { client, uid, cycle };
}

const messages = [{ role: 'user' as const, content: 'Good morning?' }];
const ask = (client: TestClient) => client.raw.completeChat({ model: 'small', messages });
const askInOtherFormat = (client: TestClient) => client.raw.createMessage({ model: 'small', messages, max_tokens: 10 });

/** Asks in both formats. No provider is asked, and no request stays in progress. */
async function assertRefused(agentId: AgentId, { client }: Pick<Resident, 'client'>, code: string): Promise<void> {
  const asked = wire.requests.length;
  for (const again of [ask, askInOtherFormat, ask]) assert.equal(refusalOf(await again(client)), code);
  assert.equal(wire.requests.length, asked);
  const rows = await readModelRequests(db, agentId, 10);
  assert.deepEqual(
    rows.filter(({ outcome }) => outcome === 'under_way'),
    [],
  );
}

test('a known resident can ask repeatedly', async () => {
  const bob = await knownResident('bob');
  for (let round = 0; round < 3; round += 1) {
    wire.add({ answer: OPENAI_WIRE.stream({ text: [`Answer ${round}.`] }) });
    assert.match(dataOf(await ask(bob.client)).choices[0]?.message.content ?? '', new RegExp(`${round}`));
  }
  wire.verify();
});

test('a token that was revoked meanwhile is refused at once', async () => {
  const bob = await knownResident('bob');
  await revokeAgentSessions(db, 'bob');
  await assertRefused('bob', bob, 'token_invalid');
});

test('a measure refuses at once; after its end the agent can ask again', async () => {
  const cleo = await knownResident('cleo');
  const measure = { agentId: 'cleo', measure: 'quarantine', reason: 'odd requests' } as const;
  await inTransaction(db, (tx) => takeMeasure(tx, { ...measure, expiresAt: null }, BY));
  await assertRefused('cleo', cleo, 'agent_quarantined');
  await inTransaction(db, (tx) => liftMeasure(tx, measure, BY));
  wire.add({ answer: OPENAI_WIRE.stream({ text: ['Here again.'] }) });
  dataOf(await ask(cleo.client));
});

test('a newer cycle makes the token stale at once', async () => {
  const dan = await knownResident('dan');
  await raiseCycle(db, dan.uid, dan.cycle + 1);
  await assertRefused('dan', dan, 'stale_cycle');
});

test('the token of an ended life is refused at once', async () => {
  const eve = await knownResident('eve');
  await closeLife(db, eve.uid, 'eve');
  await assertRefused('eve', eve, 'token_invalid');
});

test("an agent's revoked API key is refused at once", async () => {
  const client = play.as('fay');
  wire.add({ answer: OPENAI_WIRE.stream({ text: ['Good evening.'] }) });
  dataOf(await ask(client));
  await replaceApiKeys(db, []);
  await assertRefused('fay', { client }, 'token_invalid');
});
