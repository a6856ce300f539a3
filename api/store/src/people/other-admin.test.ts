import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { insertAccountBan, liftAccountBanRow } from './account-bans.ts';
import { hasOtherAdmin, insertAccount, updateAccount } from './accounts.ts';

const BY = { role: 'admin', id: 'test' };
const [GRACE, MAX, MEMBER] = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
  '00000000-0000-4000-8000-000000000003',
] as const;

const ledger = await testLedger(2);
for (const [accountId, role] of [
  [GRACE, 'admin'],
  [MAX, 'admin'],
  [MEMBER, 'member'],
] as const)
  assert.ok(await insertAccount(ledger.db, { accountId, name: accountId, role, passwordHash: null }));

const isReplaceable = (accountId: string): Promise<boolean> => ledger.within((tx) => hasOtherAdmin(tx, accountId));

test('an admin may be removed only while another admin is neither disabled nor banned', async () => {
  assert.deepEqual([await isReplaceable(GRACE), await isReplaceable(MAX)], [true, true]);
  await ledger.within((tx) => updateAccount(tx, MAX, { disabled: true }));
  assert.equal(await isReplaceable(GRACE), false, 'Max is disabled');
  assert.equal(await isReplaceable(MAX), true);
  await ledger.within((tx) => updateAccount(tx, MAX, { disabled: false }));
  await ledger.within((tx) => insertAccountBan(tx, { accountId: MAX, reason: 'x', expiresAt: null }, BY));
  assert.equal(await isReplaceable(GRACE), false, 'Max is banned');
  await ledger.within((tx) => liftAccountBanRow(tx, { accountId: MAX, reason: null }, BY));
  assert.equal(await isReplaceable(GRACE), true);
  await ledger.within((tx) => updateAccount(tx, MAX, { role: 'member' }));
  assert.equal(await isReplaceable(GRACE), false, 'Max is a member now');
});
