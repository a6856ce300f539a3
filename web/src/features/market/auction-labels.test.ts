import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AuctionDraft, localField, readAuction } from './auction-labels.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const DRAFT: AuctionDraft = {
  lane: 'gpu-0',
  startsAt: '2026-11-22T12:00Z',
  hours: '2',
  closesAt: '2026-11-22T11:30Z',
  reserve: '1',
  note: '',
};

test('the end of the window follows from its length', () => {
  assert.deepEqual(readAuction(DRAFT, NOW), {
    ok: true,
    starts_at: '2026-11-22T12:00:00.000Z',
    ends_at: '2026-11-22T14:00:00.000Z',
    closes_at: '2026-11-22T11:30:00.000Z',
  });
});

test('impossible times are refused', () => {
  const problem = (change: Partial<AuctionDraft>): string | null => {
    const reading = readAuction({ ...DRAFT, ...change }, NOW);
    return reading.ok ? null : reading.problem;
  };
  assert.match(problem({ lane: '' }) ?? '', /GPU/);
  assert.match(problem({ startsAt: '2026-11-22T09:00Z' }) ?? '', /in the future/);
  assert.match(problem({ hours: '' }) ?? '', /hours/);
  assert.match(problem({ closesAt: '2026-11-22T12:00Z' }) ?? '', /before the window/);
});

test('a field of local time has a precision of a minute', () => {
  assert.equal(Date.parse(localField(NOW)), NOW);
});
