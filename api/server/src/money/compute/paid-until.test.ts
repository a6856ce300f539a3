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
  ['no claim: nothing has to be paid', null, 'tier-1', null],
  ['a claim of another life', { uid: 'other', hold, refused: null }, 'tier-1', null],
  ['the end of the hold, also when it is past', { uid: 'life', hold, refused: null }, 'tier-1', until],
  [
    'the hold counts although a higher tier was refused',
    { uid: 'life', hold, refused: { ...refused, tier: 'tier-2' } },
    'tier-1',
    until,
  ],
  ['a tier that was refused, and has a pod still', { uid: 'life', hold: null, refused }, 'tier-1', now],
  ['a tier that was refused, on a free one', { uid: 'life', hold: null, refused }, 'tier-0', null],
  ['a tier that was refused, without a tier', { uid: 'life', hold: null, refused }, null, null],
];

for (const [name, claim, tier, end] of TABLE)
  test(`paid until: ${name}`, () => assert.deepEqual(paidUntil(claim, { uid: 'life', tier, now }), end));
