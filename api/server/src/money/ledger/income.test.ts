/**
 * The income port is the only way for money into the village: it credits a payment once, and refunds it whole or in
 * parts, in any order.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAiDollars, parseAiDollars } from '@hamlet/contract';
import { closeAgentAccount, inTransaction } from '@hamlet/store';
import { createIncomePort, type Income, type IncomeOutcome, type TakenBack } from './income.ts';
import { startPursePlay } from '../testing/purse-play.ts';

const ACTOR = { role: 'system', id: 'paypal' } as const;

let payments = 0;
let payment = '';

const play = await startPursePlay();
const port = createIncomePort({ tiers: play.tiers, lives: (agentId) => agentId === 'newcomer' });
await play.give('ada', '1');
await play.give('bob', '1');

function income(changes: Partial<Income> & { readonly aiDollars?: string } = {}): Income {
  const { aiDollars = '10', ...rest } = changes;
  return {
    source: 'paypal',
    transactionId: payment,
    agentId: 'ada',
    amount: parseAiDollars(aiDollars),
    note: 'a deposit',
    actor: ACTOR,
    ...rest,
  };
}

function credit(changes: Parameters<typeof income>[0] = {}): Promise<IncomeOutcome> {
  return inTransaction(play.db, (tx) => port.credit(tx, income(changes)));
}

function takeBack(refundId: string, aiDollars?: string): Promise<IncomeOutcome> {
  const amount = aiDollars === undefined ? {} : { amount: parseAiDollars(aiDollars) };
  const taken: TakenBack = {
    source: 'paypal',
    transactionId: payment,
    refundId,
    note: 'a refund',
    actor: ACTOR,
    ...amount,
  };
  return inTransaction(play.db, (tx) => port.takeBack(tx, taken));
}

const next = (): string => (payment = `PAY-${(payments += 1)}`);
const codeOf = (outcome: IncomeOutcome): string | null => (outcome.ok ? null : outcome.reason);
const balanceOf = async (agentId: string): Promise<string> => (await play.funds(agentId))[0];

test('a payment is credited once, even if several callers report it repeatedly', async () => {
  next();
  const before = parseAiDollars(await balanceOf('ada'));
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => credit()));
  assert.equal(outcomes.filter((outcome) => outcome.ok && !outcome.replayed).length, 1);
  assert.equal(
    outcomes.every(({ ok }) => ok),
    true,
  );
  assert.equal(await balanceOf('ada'), formatAiDollars(before + parseAiDollars('10')));
  const [first] = outcomes;
  assert.ok(first?.ok);
  assert.deepEqual([first.entry.reason, first.entry.source, first.entry.amount], ['deposit_credit', payment, '10']);
});

test('a payment cannot be reused for another agent or amount; the same id at another source is another payment', async () => {
  next();
  assert.equal(codeOf(await credit()), null);
  assert.equal(codeOf(await credit({ agentId: 'bob' })), 'key_reused');
  assert.equal(codeOf(await credit({ aiDollars: '11' })), 'key_reused');
  const other = await credit({ source: 'manual', agentId: 'bob' });
  assert.ok(other.ok && !other.replayed);
});

test('an unknown agent gets nothing, a new Agent has an account at once, and a closed account refuses', async () => {
  next();
  assert.equal(codeOf(await credit({ agentId: 'nobody' })), 'no_such_agent');
  assert.equal(codeOf(await credit({ agentId: 'newcomer' })), null);
  assert.equal(await balanceOf('newcomer'), '10');
  await inTransaction(play.db, (tx) => closeAgentAccount(tx, 'newcomer'));
  next();
  assert.equal(codeOf(await credit({ agentId: 'newcomer' })), 'account_closed');
});

test('a refund takes the whole amount back once, even if the agent has spent it', async () => {
  next();
  assert.equal(codeOf(await takeBack('R-1')), 'no_such_income');
  await credit({ agentId: 'bob', aiDollars: '20' });
  const before = parseAiDollars(await balanceOf('bob'));
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => takeBack('R-1')));
  assert.equal(outcomes.filter((outcome) => outcome.ok && !outcome.replayed).length, 1);
  assert.equal(
    outcomes.every(({ ok }) => ok),
    true,
  );
  assert.equal(await balanceOf('bob'), formatAiDollars(before - parseAiDollars('20')));
  assert.equal(codeOf(await takeBack('R-2')), 'nothing_left');
  assert.equal(codeOf(await credit({ agentId: 'bob', aiDollars: '20' })), null, 'a late copy of the payment');
  assert.equal(await balanceOf('bob'), formatAiDollars(before - parseAiDollars('20')), 'a late copy books nothing');
});

test('partial refunds may come in any order, and never exceed the payment', async () => {
  next();
  await play.give('cleo', '0');
  await credit({ agentId: 'cleo', aiDollars: '10' });
  assert.deepEqual([codeOf(await takeBack('R-1', '3')), await balanceOf('cleo')], [null, '7']);
  assert.deepEqual([codeOf(await takeBack('R-1', '3')), await balanceOf('cleo')], [null, '7']);
  await Promise.all(['R-2', 'R-3', 'R-2', 'R-3'].map((id) => takeBack(id, '2')));
  assert.equal(await balanceOf('cleo'), '3');
  assert.deepEqual([codeOf(await takeBack('R-4', '99')), await balanceOf('cleo')], [null, '0']);
  assert.equal(codeOf(await takeBack('R-5', '1')), 'nothing_left');
  assert.equal(codeOf(await takeBack('R-2', '2')), null, 'a repeated refund changes nothing');
});

test('a closed account allows only a full refund, because a rest would have no owner', async () => {
  next();
  await play.give('dan', '0');
  await credit({ agentId: 'dan', aiDollars: '10' });
  await inTransaction(play.db, (tx) => closeAgentAccount(tx, 'dan'));
  assert.deepEqual([codeOf(await takeBack('R-1', '4')), await balanceOf('dan')], ['account_closed', '10']);
  assert.deepEqual([codeOf(await takeBack('R-2')), await balanceOf('dan')], [null, '0']);
});

test('sources and ids that would make keys ambiguous are refused', async () => {
  await assert.rejects(credit({ source: 'Pay Pal' }), RangeError);
  await assert.rejects(credit({ transactionId: 'a b' }), RangeError);
  await assert.rejects(credit({ transactionId: '' }), RangeError);
});
