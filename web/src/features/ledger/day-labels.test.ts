import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costsLabel, dayLabel, roundedLabel } from './day-labels.ts';

test('sums are rounded, and a sum above zero never shows as 0', () => {
  const written = ['0', '0.000001', '0.004999', '0.005', '14.726966', '1204.5'].map(roundedLabel);
  assert.deepEqual(written, ['0', '< 0.01', '< 0.01', '0.01', '14.73', '1,204.50']);
});

test('a day is named in its own calendar, in every zone of a device', () => {
  assert.equal(dayLabel('2026-11-30'), 'Mon 30 Nov');
});

test('costs are in their currencies; a viewer who may not read them sees none', () => {
  const costs = [
    { currency: 'EUR', amount: '1' },
    { currency: 'USD', amount: '0.123' },
  ];
  assert.deepEqual(
    [costs, [], null].map((each) => costsLabel({ costs: each })),
    ['1.00 EUR, 0.12 USD', '0', ''],
  );
});
