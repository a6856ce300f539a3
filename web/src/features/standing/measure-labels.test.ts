import { goodStanding, MEASURES } from '@hamlet/contract';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOf, heldOf, heldLabel, MEASURE_LABELS, OFFERED } from './measure-labels.ts';

const NOW = Date.UTC(2026, 10, 23, 12);

test('the page offers every measure of the contract, the kill switch last', () => {
  assert.deepEqual(OFFERED.toSorted(), MEASURES.toSorted());
  assert.equal(OFFERED.at(-1), 'kill');
  assert.equal(new Set(OFFERED.map((measure) => MEASURE_LABELS[measure].verb)).size, MEASURES.length);
});

test('active measures come from the flags, severest first', () => {
  assert.deepEqual(heldOf(goodStanding('ada')), []);
  assert.deepEqual(heldOf({ ...goodStanding('ada'), token_revoked: true, killed: true, frozen: true }), [
    'kill',
    'freeze',
    'revoke_token',
  ]);
});

test('an active measure shows its age and end', () => {
  const held = {
    since: new Date(NOW - 300_000).toISOString(),
    expires_at: null,
  };
  assert.equal(heldLabel(held, NOW), '5 min ago, until an admin lifts it');
  assert.match(
    heldLabel({ ...held, expires_at: new Date(NOW + 7_200_000).toISOString() }, NOW),
    /until .* \(in 2 h\)$/,
  );
});

test('a measure ends after its duration, or only when an admin lifts it', () => {
  assert.equal(endOf('hour', NOW), '2026-11-23T13:00:00.000Z');
  assert.equal(endOf('lifted', NOW), undefined);
});
