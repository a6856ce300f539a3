import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Eyes, SECOND_ADMIN_AGE_MS, whyNotSecond } from './decide-payment.ts';

const ASKED = new Date('2026-11-23T12:00:00Z');
const old = new Date(ASKED.getTime() - SECOND_ADMIN_AGE_MS);
const eyes = (id: string, hands: readonly string[] = [], ownSince: Date | null = old): Eyes => ({
  id,
  hands,
  ownSince,
});
const key = (id: string): Eyes => eyes(id, [], null);

const CASES: readonly (readonly [name: string, asker: Eyes, approver: Eyes, why: RegExp | null])[] = [
  ['two accounts that a third one made', eyes('account b', ['account a']), eyes('account c', ['account a']), null],
  ['two accounts that no other account made', eyes('account a'), eyes('account b'), null],
  ['the same account', eyes('account a'), eyes('account a'), /their own proposal/],
  ['a key that proposed', key('key admin'), eyes('account a'), /A key proposed/],
  ['a key that approves', eyes('account a'), key('key admin'), /A key cannot approve/],
  ['an approver whom the asker made or reset', eyes('account a'), eyes('account b', ['account a']), /made or reset/],
  ['an approver who made the asker', eyes('account b', ['account a']), eyes('account a'), /made or reset/],
  [
    'an approver made by an account that the asker made',
    eyes('account a'),
    eyes('account c', ['account b', 'account a']),
    /made or reset/,
  ],
  ['an approver whom a key made', eyes('account a'), eyes('account b', ['key admin']), /A key created/],
  ['an asker whom a key made', eyes('account b', ['key admin']), eyes('account a'), /A key created/],
  [
    'an approver whose account is a moment too young',
    eyes('account a'),
    eyes('account b', [], new Date(old.getTime() + 1)),
    /24 hours/,
  ],
];

for (const [name, asker, approver, why] of CASES) {
  test(`${name}: ${why === null ? 'may approve' : 'may not approve'}`, () => {
    const said = whyNotSecond(asker, approver, ASKED);
    if (why === null) assert.equal(said, null);
    else assert.match(said ?? '', why);
  });
}
