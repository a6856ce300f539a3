import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diceOf, seedOf } from '../testing/dice.ts';
import { aRef } from '../testing/an-event.ts';
import { packedBody, unpackedBody } from './event-text.ts';

const SEED = seedOf();
const REF = aRef('a text');
const call = { id: 'draft.1.1:1', tool: 'write', arguments: REF, effect: 'idempotent' } as const;

test('the body of a frequent event takes less than half of its length', () => {
  const body = JSON.stringify({ flow: { role: 'tool', attempt: 1, round: 1, input: REF, calls: [call] } });
  const packed = packedBody(body);
  assert.equal(unpackedBody(packed), body);
  assert.ok(packed.length < body.length / 2, `${packed.length} of ${body.length}`);
  assert.equal(packed.split(REF).length, 2, 'a repeated reference is there once');
});

test(`any body comes back as it was, with any text in it (seed ${SEED})`, () => {
  const dice = diceOf(SEED);
  const parts = [REF, `${REF}x`, '\u0001', '\u001f', '\ud800', '","tool":"', '{"call":"', '"', '\\', '-', 'é', ' '];
  const text = (): string => Array.from({ length: dice.below(6) }, () => dice.of(parts)).join('');
  for (let count = 0; count < 5_000; count += 1) {
    const body = JSON.stringify({ call: text(), [text()]: text(), result: REF, more: [text(), text(), null, 7] });
    assert.equal(unpackedBody(packedBody(body)), body);
    assert.equal(unpackedBody(body), body, 'a body that was never packed');
  }
});
