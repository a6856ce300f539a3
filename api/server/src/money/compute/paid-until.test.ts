import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClaimRow } from '@hamlet/store';
import { paidUntil } from './claim-view.ts';

const now = new Date('2026-11-23T12:00:00Z');
const until = new Date('2026-11-23T11:00:00Z');
const hold = {
  tier: 'tier-1',
  holdId: 'h',
  perHour: 1n,
  amount: 1n,
  until,
  renewalRefused: false,
  usedMs: 0,
  pod: null,
  imageDigest: null,
  traceparent: null,
};
const refused = { tier: 'tier-1', reason: 'NotPaid', payable: null } as const;

const TABLE: readonly (readonly [
  string,
  Pick<ClaimRow, 'uid' | 'hold' | 'refused'> | null,
  string | null,
  Date | null,
])[] = [
  ['no claim: the tier is free', null, 'tier-1', null],
  ['a claim of another life', { uid: 'other', hold, refused: null }, 'tier-1', null],
  ['the end of the hold, even if it is past', { uid: 'life', hold, refused: null }, 'tier-1', until],
  [
    'the end of the hold, even if a higher tier was refused',
    { uid: 'life', hold, refused: { ...refused, tier: 'tier-2' } },
    'tier-1',
    until,
  ],
  ['a refused tier whose pod still runs', { uid: 'life', hold: null, refused }, 'tier-1', now],
  ['a refused tier, while the agent has a free tier', { uid: 'life', hold: null, refused }, 'tier-0', null],
  ['a refused tier, while the agent has no tier', { uid: 'life', hold: null, refused }, null, null],
];

for (const [name, claim, tier, end] of TABLE)
  test(`paid until: ${name}`, () => assert.deepEqual(paidUntil(claim, { uid: 'life', tier, now }), end));
