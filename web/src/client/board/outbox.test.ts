import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api, Refused, Reply } from '../api.ts';
import { aReply } from './board.fixture.ts';
import { Outbox } from './outbox.ts';

const refusal = (code: Refused['code'], status: number): Reply<never> => ({
  ok: false,
  refused: { code, title: 'No', detail: '', status, errors: [] },
});
const TAKEN: Reply<unknown> = { ok: true, data: { reply_id: 'r1', reply: aReply() } };

/** An outbox whose API gives these answers in order, and the idempotency keys that it received. */
function started(...answers: Reply<unknown>[]): {
  readonly outbox: Outbox;
  readonly keys: (string | undefined)[];
  readonly arrived: string[];
} {
  const keys: (string | undefined)[] = [];
  const arrived: string[] = [];
  const call = (_route: unknown, input: { readonly idempotencyKey?: string }): Promise<Reply<unknown>> => {
    keys.push(input.idempotencyKey);
    return Promise.resolve(answers.shift() ?? TAKEN);
  };
  let made = 0;
  return {
    outbox: new Outbox(
      { call: call as Api['call'] },
      (reply) => arrived.push(reply.reply_id),
      () => `key ${++made}`,
    ),
    keys,
    arrived,
  };
}

test('a reply that was refused stays with its reason, outlives its thread, and is sent again under a new key', async () => {
  const { outbox, keys, arrived } = started(refusal('forbidden', 403), TAKEN);
  await outbox.add('p1', 'Some rope');
  const [entry] = outbox.state.get().get('p1') ?? [];
  assert.equal(entry?.refused?.code, 'forbidden');
  assert.ok(entry);
  await outbox.again('p1', entry);
  assert.deepEqual([keys, arrived], [['key 1', 'key 2'], ['r1']]);
  assert.equal(outbox.state.get().get('p1')?.[0]?.replyId, 'r1');
});

test('a reply whose answer was lost is sent with the same key, so it is posted once', async () => {
  const { outbox, keys } = started(refusal('unreachable', 0), TAKEN);
  await outbox.add('p1', 'Some rope');
  const [entry] = outbox.state.get().get('p1') ?? [];
  assert.ok(entry);
  await outbox.again('p1', entry);
  assert.deepEqual(keys, ['key 1', 'key 1']);
  await outbox.again('p1', { ...entry, refused: null });
  assert.equal(keys.length, 2, 'a reply that is being sent is not sent twice');
});

test('a reply leaves the outbox when the thread shows it, or when its writer discards it', async () => {
  const { outbox } = started(TAKEN, refusal('forbidden', 403));
  await outbox.add('p1', 'first');
  await outbox.add('p1', 'second');
  outbox.seen('p1', new Set(['another']));
  assert.equal(outbox.state.get().get('p1')?.length, 2);
  outbox.seen('p1', new Set(['r1']));
  const [left] = outbox.state.get().get('p1') ?? [];
  assert.equal(left?.body, 'second');
  outbox.drop('p1', left?.id ?? '');
  assert.equal(outbox.state.get().has('p1'), false);
});
