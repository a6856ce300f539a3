import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auctionFault, windowFault } from './purchase-price.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const MINUTE = 60_000;
const DAY = 86_400_000;

test('a window lies ahead, ends after it begins, and is neither too far nor too long', () => {
  const cases: readonly (readonly [number, number, RegExp | null])[] = [
    [NOW, NOW + 1, null],
    [NOW - 1, NOW + MINUTE, /past/],
    [NOW + MINUTE, NOW + MINUTE, /end after/],
    [NOW, NOW + 7 * DAY, null],
    [NOW, NOW + 7 * DAY + 1, /longer than 7 days/],
    [NOW + 30 * DAY, NOW + 30 * DAY + 1, null],
    [NOW + 30 * DAY + 1, NOW + 31 * DAY, /more than 30 days/],
  ];
  for (const [startsMs, endsMs, fault] of cases) {
    if (fault === null) assert.equal(windowFault({ startsMs, endsMs }, NOW), null);
    else assert.match(windowFault({ startsMs, endsMs }, NOW) ?? '', fault);
  }
});

test('bidding ends in the future and long enough before the window', () => {
  const window = { startsMs: NOW + MINUTE, endsMs: NOW + 2 * MINUTE };
  assert.equal(auctionFault({ ...window, closesMs: NOW + MINUTE - 5_000 }, NOW), null);
  assert.match(auctionFault({ ...window, closesMs: NOW + MINUTE - 4_999 }, NOW) ?? '', /at least 5 s before/);
  assert.match(auctionFault({ ...window, closesMs: NOW }, NOW) ?? '', /in the future/);
  assert.match(auctionFault({ startsMs: NOW + MINUTE, endsMs: NOW, closesMs: NOW + 1 }, NOW) ?? '', /end after/);
});
