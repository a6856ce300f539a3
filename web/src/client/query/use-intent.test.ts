import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Refused, Reply } from '../api.ts';
import { Intents, isFinal } from './use-intent.ts';

const refusal = (code: Refused['code'], status: number): Reply<never> => ({
  ok: false,
  refused: { code, title: 'No', detail: 'Not now', status, errors: [] },
});
const SHORT_OF_MONEY = refusal('insufficient_funds', 409);

/** A sender with numbered keys, and the keys that it used. */
function started(): {
  readonly sender: Intents;
  readonly used: string[];
  send(reply: Reply<unknown>, intent?: string): Promise<unknown>;
} {
  let made = 0;
  const used: string[] = [];
  const sender = new Intents(() => `key ${++made}`);
  return {
    sender,
    used,
    send: (reply, intent) =>
      sender.send((key) => {
        used.push(key);
        return Promise.resolve(reply);
      }, intent),
  };
}

test('a final refusal replaces the key, so the same act can succeed after the cause is gone', async () => {
  const { used, send, sender } = started();
  await send(SHORT_OF_MONEY);
  assert.equal(sender.state.get().refused?.code, 'insufficient_funds');
  await send({ ok: true, data: null });
  assert.deepEqual(used, ['key 1', 'key 2']);
  assert.deepEqual(sender.state.get(), { busy: false, refused: null, done: true });
});

test('a lost answer, a server error and a temporary refusal keep the key, so a repeated write acts once', async () => {
  for (const reply of [
    refusal('unreachable', 0),
    refusal('internal', 500),
    refusal('idempotency_in_flight', 409),
    refusal('rate_limited', 429),
  ]) {
    const { used, send } = started();
    await send(reply);
    await send({ ok: true, data: null });
    assert.deepEqual(used, ['key 1', 'key 1'], JSON.stringify(reply));
  }
});

test('success replaces the key, and so does an edit', async () => {
  const { used, send, sender } = started();
  await send({ ok: true, data: null });
  await send(refusal('unreachable', 0));
  sender.changed();
  assert.equal(sender.state.get().refused, null, 'the refusal was about the earlier text');
  await send({ ok: true, data: null });
  assert.deepEqual(used, ['key 1', 'key 2', 'key 3']);
});

test('another body of the same form never goes under the key of the first one', async () => {
  const { used, send } = started();
  await send(refusal('unreachable', 0), 'disable');
  await send(refusal('unreachable', 0), 'make admin');
  await send({ ok: true, data: null }, 'make admin');
  assert.deepEqual(used, ['key 1', 'key 2', 'key 2']);
});

test('while a write is under way a second one is not sent, and a call that throws does not lock the form', async () => {
  const sender = new Intents();
  let answer: (reply: Reply<string>) => void = () => undefined;
  const first = sender.send<string>(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  assert.equal(sender.state.get().busy, true);
  assert.equal(await sender.send(() => Promise.resolve({ ok: true, data: 'second' })), null);
  answer({ ok: true, data: 'first' });
  assert.deepEqual(await first, { ok: true, data: 'first' });
  await assert.rejects(sender.send(() => Promise.reject(new Error('a bug'))));
  assert.equal(sender.state.get().busy, false);
});

test('an unknown code is final if its status says so', () => {
  assert.equal(isFinal({ code: 'insufficient_funds', status: 409 }), true);
  assert.equal(isFinal({ code: 'unreachable', status: 0 }), false);
  assert.equal(isFinal({ code: 'internal', status: 503 }), false);
});
