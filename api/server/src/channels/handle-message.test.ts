/** Retries of messages that the village cannot take at once, and the buttons of a request after each refusal. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Refusal } from '@hamlet/contract';
import { inTransaction, insertAccount, linkIdentity } from '@hamlet/store';
import type { Handlers } from '../http/handler.ts';
import { plain } from '../http/handler.ts';
import { refused } from '../http/outcome.ts';
import { UnavailableError } from '../http/respond.ts';
import { testVillage } from '../testing/test-village.ts';
import type { Received } from './bot-port.ts';
import { MessageHandler } from './handle-message.ts';

const village = await testVillage();
await village.startReplica();
const db = village.openDb();
const zoe = { accountId: randomUUID(), name: 'Zoe', role: 'member', passwordHash: null } as const;
await insertAccount(db, zoe);
const sender = { channel: 'telegram', externalId: '1001', name: 'Zoe' } as const;
await inTransaction(db, (tx) => linkIdentity(tx, sender, zoe.accountId));

const BOT = { channel: 'telegram', agentId: 'ada', id: '4711', commandSign: '/' } as const;
const press = (): Received => ({
  updateId: '7',
  sender: { id: '1001', name: 'Zoe' },
  wish: { kind: 'answer', permissionId: randomUUID(), answer: 'allow' },
  press: { id: 'press', messageId: '5' },
});

/** A handler whose village refuses answers for these reasons, and repeats the last one. */
function refusing(reasons: readonly (Refusal | 'down')[]) {
  let asked = 0;
  const answerPermission = plain(async () => {
    const reason = reasons[Math.min(asked, reasons.length - 1)] ?? 'internal';
    asked += 1;
    if (reason === 'down') throw new UnavailableError('The world does not answer');
    return refused(reason);
  });
  const none = plain(async () => refused('internal'));
  const handlers = {
    createSession: none,
    endSession: none,
    sendMessage: none,
    answerPermission,
  } as unknown as Handlers;
  const here = { allowed: true, remaining: 1, resetS: 1, policy: { name: 'test', quota: 1, windowS: 1 } };
  const limitActor = async () => ({ here, whole: Promise.resolve(here) });
  const ports = { db, handlers, limitActor, log: () => {}, monotonicMs: () => 0, retryMs: 0.1 };
  return { handler: new MessageHandler(ports), asked: () => asked };
}

test('a message that the village cannot take now is repeated, then its person reads it', async () => {
  const { signal } = new AbortController();
  const busy = refusing(['unavailable', 'idempotency_in_flight', 'down', 'permission_answered']);
  assert.match((await busy.handler.reply(BOT, press(), signal)).text ?? '', /^A person has given another answer/);
  assert.equal(busy.asked(), 4);
  for (const reason of ['unavailable', 'down'] as const) {
    const out = refusing([reason]);
    assert.match(
      (await out.handler.reply(BOT, press(), signal)).text ?? '',
      /^I could not take this; send it again later/,
    );
    assert.equal(out.asked(), 7, 'the retries are bounded');
  }
});

test('the end of the replica ends the retries without a reply', async () => {
  const { handler, asked } = refusing(['unavailable']);
  await assert.rejects(handler.reply(BOT, press(), AbortSignal.abort()), { name: 'AbortError' });
  assert.equal(asked(), 1);
});

test('buttons stay until the request is decided', async () => {
  const { signal } = new AbortController();
  const isDecided = async (reason: Refusal) => (await refusing([reason]).handler.reply(BOT, press(), signal)).isDecided;
  for (const reason of ['permission_answered', 'permission_expired', 'permission_stale', 'no_such_permission'] as const)
    assert.equal(await isDecided(reason), true, reason);
  for (const reason of ['permission_not_yours', 'allowance_exceeded', 'internal', 'rate_limited'] as const)
    assert.equal(await isDecided(reason), false, reason);
});
