import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creditProblems, mayApprove, sidesOf, verdictOf, waitingWords } from './payment-labels.ts';

test('nobody approves a proposal of their own', () => {
  assert.equal(mayApprove({ state: 'proposed', requested_by: 'account a' }, 'b'), true);
  assert.equal(mayApprove({ state: 'proposed', requested_by: 'account a' }, 'a'), false);
  assert.equal(mayApprove({ state: 'credited', requested_by: 'account a' }, 'b'), false);
  assert.equal(mayApprove({ state: 'proposed', requested_by: 'account a' }, null), false);
});

test('both sides of a difference are named, also where one has nothing', () => {
  assert.deepEqual(sidesOf({ ours: '25', theirs: null }), { ours: '25.00 ai$', theirs: 'nothing' });
  assert.deepEqual(sidesOf({ ours: null, theirs: { amount: '25.00', currency: 'USD' } }), {
    ours: 'nothing',
    theirs: '25.00 USD',
  });
});

test('a payment that waits says why, also for a reason that is new', () => {
  assert.equal(waitingWords({ why: 'no_such_agent' }), 'names no agent of this village');
  assert.equal(waitingWords({ why: 'asked_too_early' }), 'asked too early');
});

test('a deposit is looked through before it is sent', () => {
  const draft = { agent: 'ada', provider: 'paypal', transaction: '5O190127TN364715T', amount: '25,50', note: '' };
  assert.deepEqual(creditProblems(draft), {});
  assert.deepEqual(Object.keys(creditProblems({ ...draft, agent: '', transaction: 'two words', amount: '-1' })), [
    'agent',
    'transaction',
    'amount',
  ]);
  assert.match(creditProblems({ ...draft, transaction: '' }).transaction ?? '', /as the provider shows it/);
});

test('an empty list is good news only where something was compared', () => {
  assert.equal(verdictOf(0, 1), 'agrees');
  assert.equal(verdictOf(0, 0), 'not compared');
  assert.equal(verdictOf(2, 0), 'differs');
});
