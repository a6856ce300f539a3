import { PAYMENT_OUTCOMES } from '@hamlet/contract';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvalAddress, OUTCOME_LABELS, readPayment, worthOf } from './pay-labels.ts';

test('a typed payment is read, or its problem names the missing part', () => {
  assert.deepEqual(readPayment({ agent: 'ada', amount: ' 7,5 ' }), { ok: true, amount: '7.50' });
  assert.deepEqual(readPayment({ agent: 'ada', amount: '12' }), { ok: true, amount: '12.00' });
  assert.deepEqual(readPayment({ agent: '', amount: '7.5' }), { ok: false, problem: 'Choose an agent' });
  for (const amount of ['', '0', '0.00', '-1', '1.234', '1e3', '99999999', 'ten'])
    assert.equal(readPayment({ agent: 'ada', amount }).ok, false, amount);
});

test('the payer sees the aiDollars of the agent, at the rate of the village', () => {
  assert.equal(worthOf('7.5', { rate: '2' }), '15.00 ai$');
  assert.equal(worthOf('0.01', { rate: '0.000001' }), '0.00 ai$');
  assert.equal(worthOf('7.5', { rate: null }), null);
  assert.equal(worthOf('seven', { rate: '2' }), null);
});

test('only https addresses are opened', () => {
  assert.equal(
    approvalAddress('https://www.sandbox.paypal.com/checkoutnow?token=A1'),
    'https://www.sandbox.paypal.com/checkoutnow?token=A1',
  );
  for (const url of ['javascript:alert(1)', 'http://www.paypal.com/', 'data:text/html,x', ''])
    assert.equal(approvalAddress(url), null, url);
});

test('each outcome has its own text, and only a captured payment is good', () => {
  assert.equal(new Set(PAYMENT_OUTCOMES.map((outcome) => OUTCOME_LABELS[outcome].text)).size, PAYMENT_OUTCOMES.length);
  assert.deepEqual(
    PAYMENT_OUTCOMES.filter((outcome) => OUTCOME_LABELS[outcome].tone === 'good'),
    ['captured'],
  );
});
