import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEntry } from '@hamlet/contract';
import { chosenOf, flowOf, NO_HISTORY, reaches, seriesOf, withPage } from './history.ts';

const entry = (version: number, amount = '1', after = String(version)): LedgerEntry => ({
  ledger_entry_id: `e${version}`,
  agent_id: 'ada',
  amount,
  currency: 'aiDollar',
  reason: 'reward',
  source: 'system',
  related_post_id: null,
  note: '',
  timestamp: new Date(Date.UTC(2026, 10, version)).toISOString(),
  version,
  balance_after: after,
});
const day = (date: number): number => Date.UTC(2026, 10, date);

test('pages join into one history, each entry once, newest first', () => {
  const history = withPage(withPage(NO_HISTORY, [entry(5), entry(4)]), [entry(4), entry(3)]);
  assert.deepEqual(
    history.entries.map(({ version }) => version),
    [5, 4, 3],
  );
  assert.equal(history.whole, false);
  assert.equal(withPage(history, [entry(2), entry(1)]).whole, true);
});

test('a plot needs the entry before its start', () => {
  const history = withPage(NO_HISTORY, [entry(5), entry(4), entry(3)]);
  assert.equal(reaches(history, day(3)), true);
  assert.equal(reaches(history, day(2)), false, 'the balance of the second day is unknown');
  assert.equal(reaches(withPage(history, [entry(2), entry(1)]), day(0)), true, 'no entry comes before the first');
  assert.equal(reaches(NO_HISTORY, day(1)), true, 'an agent without entries');
});

test('a gap below new entries is found', () => {
  const gap = withPage(withPage(NO_HISTORY, [entry(3), entry(2), entry(1)]), [entry(9), entry(8)]);
  assert.equal(reaches(gap, day(2)), false);
  assert.equal(reaches(gap, day(8)), true);
});

test('the line has the balance after each entry, oldest first', () => {
  assert.deepEqual(
    seriesOf({ id: 'ada', name: 'Ada' }, withPage(NO_HISTORY, [entry(2, '1.5', '2.5'), entry(1, '1', '1')])),
    {
      id: 'ada',
      name: 'Ada',
      points: [
        { atMs: day(1), value: 0 },
        { atMs: day(1), value: 1 },
        { atMs: day(2), value: 2.5 },
      ],
    },
  );
});

test('received, spent and taken are counted from the start of the plot; a penalty is not spent', () => {
  const history = withPage(NO_HISTORY, [
    { ...entry(5, '-1'), reason: 'penalty' },
    { ...entry(4, '-0.5'), reason: 'purchase_compute' },
    { ...entry(3, '-2'), reason: 'usage' },
    entry(2, '5'),
    entry(1, '7'),
  ]);
  assert.deepEqual(flowOf([history], day(2)), { gained: 5, spent: 2.5, taken: 1 });
});

test('an address names each agent once, up to the maximum', () => {
  assert.deepEqual(chosenOf('ada,bob,ada,,cleo', 2), ['ada', 'bob']);
  assert.deepEqual(chosenOf(null, 5), []);
});
