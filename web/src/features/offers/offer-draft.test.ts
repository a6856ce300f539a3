import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OFFER_HOURS_DEFAULT, OFFER_HOURS_MAX } from '@hamlet/contract';
import { EMPTY_OFFER, OFFER_TIMES, readOffer } from './offer-labels.ts';

test('a task without an amount has no offer', () => {
  assert.deepEqual(readOffer(EMPTY_OFFER), { ok: true, offer: null });
  assert.deepEqual(readOffer({ amount: '  ', hours: '24' }), { ok: true, offer: null });
});

test('an amount is read with a comma or a point, with the chosen time', () => {
  assert.deepEqual(readOffer({ amount: '2,5', hours: '24' }), {
    ok: true,
    offer: { amount: '2.5', expires_in_hours: 24 },
  });
});

test('other text is no offer', () => {
  for (const amount of ['0', '-1', '1e3', 'two', '0.0000001'])
    assert.deepEqual(readOffer({ amount, hours: '24' }), { ok: false });
});

test('a stored draft with another time falls back to the usual one', () => {
  const read = readOffer({ amount: '1', hours: '13' });
  assert.ok(read.ok);
  assert.equal(read.offer?.expires_in_hours, OFFER_HOURS_DEFAULT);
});

test('the API takes every time that the form has, and the usual one is among them', () => {
  assert.ok(OFFER_TIMES.every(([hours]) => Number(hours) >= 1 && Number(hours) <= OFFER_HOURS_MAX));
  assert.ok(OFFER_TIMES.some(([hours]) => Number(hours) === OFFER_HOURS_DEFAULT));
});
