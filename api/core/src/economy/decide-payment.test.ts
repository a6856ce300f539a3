import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decidePayment,
  providerMicro,
  worthOf,
  type PaymentRules,
  type PaymentTruth,
  type Taking,
  type Eyes,
  SECOND_ADMIN_AGE_MS,
  whyNotSecond,
} from './decide-payment.ts';

const RULES: PaymentRules = { currency: 'USD', ratePerUnit: 2_000_000n };
const UNIT = 1_000_000n;

function truth(changes: Partial<PaymentTruth> = {}): PaymentTruth {
  return { status: 'COMPLETED', amount: 10n * UNIT, currency: 'USD', customId: 'ada', takings: [], ...changes };
}
const fresh = (of: PaymentTruth | null): ReturnType<typeof decidePayment> =>
  decidePayment(of, { hint: null, credited: null }, RULES);
const again = (of: PaymentTruth): ReturnType<typeof decidePayment> =>
  decidePayment(of, { hint: null, credited: { agentId: 'ada', amount: 20n * UNIT, net: 20n * UNIT } }, RULES);
const taking = (kind: Taking['kind'], whole: bigint, state: Taking['state'] = 'taken'): Taking => ({
  kind,
  amount: whole * UNIT,
  state,
});

test('amounts of a provider are parsed exactly or refused', () => {
  assert.equal(providerMicro('12.50'), 12_500_000n);
  assert.equal(providerMicro('-0.000001'), -1n);
  assert.equal(providerMicro('007'), 7_000_000n);
  for (const text of ['', '1e3', '1,5', '1.', '.5', '0.0000001', ' 1', '1234567890123', 'NaN'])
    assert.equal(providerMicro(text), null, text);
  assert.equal(worthOf(1n, 1_999_999n), 1n, 'fractions of a micro-aiDollar are dropped');
});

test('a completed payment is credited with its full worth', () => {
  assert.deepEqual(fresh(truth()), { kind: 'stand', agentId: 'ada', amount: 20n * UNIT, net: 20n * UNIT });
});

test('a payment that is unpaid, unknown, in another currency or without an agent is not credited', () => {
  assert.deepEqual(fresh(null), { kind: 'wait', why: 'not_found' });
  assert.deepEqual(fresh(truth({ status: 'PENDING' })), { kind: 'wait', why: 'not_completed' });
  assert.deepEqual(fresh(truth({ status: 'SOMETHING_NEW' })), { kind: 'wait', why: 'status_unknown' });
  assert.deepEqual(fresh(truth({ status: 'DECLINED' })), { kind: 'never', why: 'not_paid' });
  assert.deepEqual(fresh(truth({ currency: 'EUR' })), { kind: 'wait', why: 'other_currency' });
  assert.deepEqual(fresh(truth({ customId: null })), { kind: 'wait', why: 'no_agent_named' });
  assert.deepEqual(fresh(truth({ amount: 0n })), { kind: 'never', why: 'worth_nothing' });
});

test('a notification that differs from the payment is not credited', () => {
  const hint = { amount: 10n * UNIT, currency: 'USD', customId: 'ada' };
  assert.equal(decidePayment(truth(), { hint, credited: null }, RULES).kind, 'stand');
  for (const other of [{ amount: 11n * UNIT }, { currency: 'EUR' }, { customId: 'bob' }, { customId: null }]) {
    assert.deepEqual(decidePayment(truth(), { hint: { ...hint, ...other }, credited: null }, RULES), {
      kind: 'wait',
      why: 'differs_from_event',
    });
  }
});

test('a refund takes back its amount, or the whole payment if the provider says so', () => {
  const net = (of: PaymentTruth): bigint => {
    const decision = again(of);
    assert.equal(decision.kind, 'stand');
    return decision.kind === 'stand' ? decision.net : -1n;
  };
  assert.equal(
    net(truth({ status: 'PARTIALLY_REFUNDED', takings: [taking('refund', 4n), taking('refund', 1n)] })),
    10n * UNIT,
  );
  assert.equal(net(truth({ takings: [taking('refund', 4n, 'none')] })), 20n * UNIT, 'a refund that failed');
  assert.equal(net(truth({ status: 'REFUNDED' })), 0n);
  assert.equal(net(truth({ takings: [taking('refund', 40n)] })), 0n, 'never below nothing');
  assert.equal(net(truth({ takings: [taking('reversal', 0n)] })), 0n);
  assert.equal(net(truth({ status: 'FAILED' })), 0n);
  assert.deepEqual(again(truth({ status: 'PARTIALLY_REFUNDED' })), { kind: 'wait', why: 'refund_not_told' });
});

test('after a change of the rate, a refund takes its share of the credit, and a full refund takes all of it', () => {
  const net = (of: PaymentTruth, ratePerUnit: bigint): bigint | null => {
    const decision = decidePayment(
      of,
      { hint: null, credited: { agentId: 'ada', amount: 20n * UNIT, net: 20n * UNIT } },
      { ...RULES, ratePerUnit },
    );
    return decision.kind === 'stand' ? decision.net : null;
  };
  for (const rate of [1n, 1_000_000n, 2_000_000n, 4_000_000n]) {
    assert.equal(net(truth({ takings: [taking('refund', 4n)] }), rate), 12n * UNIT, `at ${rate}`);
    assert.equal(net(truth({ takings: [taking('refund', 10n)] }), rate), 0n, `all of it at ${rate}`);
    assert.equal(net(truth(), rate), 20n * UNIT, `nothing of it at ${rate}`);
  }
  assert.equal(net(truth({ amount: 0n }), 2_000_000n), 0n, 'a payment of nothing leaves nothing');
});

test('a payment that is worth a single micro-aiDollar is credited', () => {
  const one: PaymentRules = { ...RULES, ratePerUnit: 1_000_000n };
  const credit = (of: PaymentTruth): ReturnType<typeof decidePayment> =>
    decidePayment(of, { hint: null, credited: null }, one);
  assert.deepEqual(credit(truth({ amount: 1n })), { kind: 'stand', agentId: 'ada', amount: 1n, net: 1n });
  assert.deepEqual(credit(truth({ amount: 2n, takings: [{ kind: 'refund', amount: 1n, state: 'taken' }] })), {
    kind: 'stand',
    agentId: 'ada',
    amount: 2n,
    net: 1n,
  });
});

test('a dispute takes its amount while it is open; a lost dispute and its refund do not count twice', () => {
  const net = (takings: readonly Taking[]): bigint | null => {
    const decision = again(truth({ takings }));
    return decision.kind === 'stand' ? decision.net : null;
  };
  assert.equal(net([taking('dispute', 10n, 'open')]), 0n);
  assert.equal(net([taking('dispute', 10n, 'none')]), 20n * UNIT);
  assert.equal(net([taking('dispute', 4n, 'taken'), taking('refund', 4n)]), 12n * UNIT);
  assert.equal(
    net([taking('dispute', 4n, 'taken'), taking('refund', 1n)]),
    12n * UNIT,
    'a lost dispute that is refunded in part so far',
  );
  assert.equal(net([taking('dispute', 4n, 'open'), taking('refund', 4n)]), 4n * UNIT);
});

test('a payment with refunds before the credit is credited with the rest, or never', () => {
  assert.deepEqual(fresh(truth({ takings: [taking('refund', 4n)] })), {
    kind: 'stand',
    agentId: 'ada',
    amount: 20n * UNIT,
    net: 12n * UNIT,
  });
  assert.deepEqual(fresh(truth({ status: 'REFUNDED' })), { kind: 'never', why: 'taken_back' });
});

const ASKED = new Date('2026-11-23T12:00:00Z');
const old = new Date(ASKED.getTime() - SECOND_ADMIN_AGE_MS);
const eyes = (id: string, hands: readonly string[] = [], ownSince: Date | null = old): Eyes => ({
  id,
  hands,
  ownSince,
});
const key = (id: string): Eyes => eyes(id, [], null);

const CASES: readonly (readonly [name: string, asker: Eyes, approver: Eyes, why: RegExp | null])[] = [
  ['two accounts that a third one created', eyes('account b', ['account a']), eyes('account c', ['account a']), null],
  ['two accounts that no other account created', eyes('account a'), eyes('account b'), null],
  ['the same account', eyes('account a'), eyes('account a'), /their own proposal/],
  ['a key that proposed', key('key admin'), eyes('account a'), /A key proposed/],
  ['a key that approves', eyes('account a'), key('key admin'), /A key cannot approve/],
  [
    'an approver whose account the proposer created or reset',
    eyes('account a'),
    eyes('account b', ['account a']),
    /made or reset/,
  ],
  [
    "an approver who created the proposer's account",
    eyes('account b', ['account a']),
    eyes('account a'),
    /made or reset/,
  ],
  [
    'an approver created by an account that the proposer created',
    eyes('account a'),
    eyes('account c', ['account b', 'account a']),
    /made or reset/,
  ],
  ['an approver whose account a key created', eyes('account a'), eyes('account b', ['key admin']), /A key created/],
  ['a proposer whose account a key created', eyes('account b', ['key admin']), eyes('account a'), /A key created/],
  [
    'an approver whose account is slightly too young',
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
