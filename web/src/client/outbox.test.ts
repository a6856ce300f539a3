import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from './api.ts';
import { refusal } from './api.fixture.ts';
import { Outbox } from './outbox.ts';

const TAKEN: Reply<string> = { ok: true, data: 'r1' };

/** An outbox whose API gives these answers in order, and the idempotency keys that it received. */
function started(...answers: Reply<string>[]): {
  readonly outbox: Outbox<string>;
  readonly keys: string[];
  readonly arrived: string[];
} {
  const keys: string[] = [];
  const arrived: string[] = [];
  let made = 0;
  const outbox = new Outbox<string>(
    {
      send: (_place, _body, key) => {
        keys.push(key);
        return Promise.resolve(answers.shift() ?? TAKEN);
      },
      idOf: (id) => id,
      arrived: (id) => arrived.push(id),
    },
    () => `key ${++made}`,
  );
  return { outbox, keys, arrived };
}

test('a refused text stays with its reason after its place closes, and is resent under a new key', async () => {
  const { outbox, keys, arrived } = started(refusal('forbidden', 403), TAKEN);
  await outbox.add('p1', 'Some rope');
  const [entry] = outbox.state.get().get('p1') ?? [];
  assert.equal(entry?.refused?.code, 'forbidden');
  assert.ok(entry);
  await outbox.again('p1', entry);
  assert.deepEqual([keys, arrived], [['key 1', 'key 2'], ['r1']]);
  assert.equal(outbox.state.get().get('p1')?.[0]?.sentId, 'r1');
});

test('a text whose answer was lost is resent with the same key, so it arrives once', async () => {
  const { outbox, keys } = started(refusal('unreachable', 0), TAKEN);
  await outbox.add('p1', 'Some rope');
  const [entry] = outbox.state.get().get('p1') ?? [];
  assert.ok(entry);
  await outbox.again('p1', entry);
  assert.deepEqual(keys, ['key 1', 'key 1']);
  await outbox.again('p1', { ...entry, refused: null });
  assert.equal(keys.length, 2, 'a text that is being sent is not sent twice');
});

test('a text leaves the outbox when its place shows it or its writer discards it', async () => {
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
