import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creditProblems, mayApprove, sidesOf, comparisonOf, waitingLabel } from './payment-labels.ts';

test('no admin approves their own proposal', () => {
  assert.equal(mayApprove({ state: 'proposed', requested_by: 'account a' }, 'b'), true);
  assert.equal(mayApprove({ state: 'proposed', requested_by: 'account a' }, 'a'), false);
  assert.equal(mayApprove({ state: 'credited', requested_by: 'account a' }, 'b'), false);
  assert.equal(mayApprove({ state: 'proposed', requested_by: 'account a' }, null), false);
});

test('both sides of a difference have a text, even if one is empty', () => {
  assert.deepEqual(sidesOf({ ours: '25', theirs: null }), { ours: '25.00 ai$', theirs: 'nothing' });
  assert.deepEqual(sidesOf({ ours: null, theirs: { amount: '25.00', currency: 'USD' } }), {
    ours: 'nothing',
    theirs: '25.00 USD',
  });
});

test('a waiting payment shows its reason, even an unknown one', () => {
  assert.equal(waitingLabel({ why: 'no_such_agent' }), 'names an agent that this village does not have');
  assert.equal(waitingLabel({ why: 'asked_too_early' }), 'asked too early');
});

test('a deposit is checked before it is sent', () => {
  const draft = { agent: 'ada', provider: 'paypal', transaction: '5O190127TN364715T', amount: '25,50', note: '' };
  assert.deepEqual(creditProblems(draft), {});
  assert.deepEqual(Object.keys(creditProblems({ ...draft, agent: '', transaction: 'two words', amount: '-1' })), [
    'agent',
    'transaction',
    'amount',
  ]);
  assert.match(creditProblems({ ...draft, transaction: '' }).transaction ?? '', /from the provider/);
});

test('an empty list counts as agreement only after a comparison', () => {
  assert.equal(comparisonOf(0, 1), 'agrees');
  assert.equal(comparisonOf(0, 0), 'not compared');
  assert.equal(comparisonOf(2, 0), 'differs');
});
