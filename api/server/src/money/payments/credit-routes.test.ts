/** Credits by admins, the four-eyes rule, and the comparison with a provider's statement, over HTTP on a real Postgres and Redis. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createCredit, receivePayPalWebhook } from '@hamlet/contract';
import type { CallInput, Credit, Outcome, ReconciliationView } from '@hamlet/contract';
import { readAudit } from '@hamlet/store';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { type TestClient, dataOf, refusalOf, refuses } from '@hamlet/test/env/client';
import { untilEnd } from '@hamlet/test/env/at-end';
import { pluck } from '@hamlet/test/env/pluck';
import { hashOf } from '../../auth/secrets.ts';
import { assertBooks } from '../testing/purse-play.ts';
import { cookieOf, firstAdmin, invite, PASSWORD, personOf } from '../../testing/play/people-play.ts';
import { clientOf, TOKENS, startPlay } from '../../testing/test-village.ts';

const SECOND_TOKEN = 'test-token-of-a-second-admin';
const HOUR_MS = 3_600_000;
/** Grace made the accounts of Alan and Bea. */

const { village, play } = await startPlay({ environment: { HAMLET_CREDIT_LIMIT: '100', HAMLET_REWARD_LIMIT: '' } });
const { admin } = play;
const second = clientOf(play.url, SECOND_TOKEN);
const db = village.openDb();
await db
  .insertInto('api_key')
  .values({ key_hash: hashOf(SECOND_TOKEN), name: 'second', role: 'admin', agent_id: null })
  .execute();
const superuser = untilEnd(openSuperuser(village.postgres));
const grace = await firstAdmin(play.url);
const alan = (await invite(grace, play.url, { name: 'Alan', role: 'admin' })).client;
const bea = await invite(grace, play.url, { name: 'Bea', role: 'admin' });
for (const name of ['Grace', 'Alan', 'Bea']) await age(name);

type Body = CallInput<typeof createCredit>['body'];
function create(client: TestClient, body: Partial<Body>): Promise<Outcome<{ credit: Credit }>> {
  return client.raw.createCredit({
    agent_id: 'bob',
    amount: '5',
    provider_transaction_id: `T${randomUUID()}`,
    ...body,
  });
}

const books = (): Promise<ReconciliationView> => admin.getReconciliation();

test('a payment that an admin credits by its transaction id counts once, even if another admin enters it again', async () => {
  const { credit } = dataOf(
    await create(admin, { provider_transaction_id: '5o190127tn364715t', amount: '12.5', note: 'from his aunt' }),
  );
  assert.deepEqual(
    [
      credit.state,
      credit.origin,
      credit.amount,
      credit.net,
      credit.provider,
      credit.provider_transaction_id,
      credit.requested_by,
      credit.decided_by,
    ],
    ['credited', 'manual', '12.5', '12.5', 'paypal', '5O190127TN364715T', 'key admin', null],
  );
  const again = await Promise.all(
    [admin, second, admin, second].map((client) =>
      create(client, { provider_transaction_id: '5O190127TN364715T', amount: '12.5' }),
    ),
  );
  assert.deepEqual(
    again.map(refusalOf),
    again.map(() => 'transaction_credited'),
  );
  assert.equal((await play.agent('bob')).balance, '12.5');
  const { rows } = { rows: await db.selectFrom('deposit').select(['transfer_id', 'net']).execute() };
  assert.deepEqual(rows, [{ transfer_id: credit.ledger_entry_id, net: 12_500_000 }]);
  const [act] = await readAudit(db, 'bob', 1);
  assert.deepEqual([act?.action, act?.actorId], ['credit.create', 'key admin']);
});

test('one of many concurrent requests for the same payment credits it', async () => {
  const id = 'AT-ONCE-1';
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      create(index % 2 === 0 ? admin : second, { agent_id: 'cleo', provider_transaction_id: id, amount: '1' }),
    ),
  );
  assert.equal(outcomes.filter(({ ok }) => ok).length, 1);
  for (const outcome of outcomes) if (!outcome.ok) assert.equal(outcome.problem.code, 'transaction_credited');
  assert.equal((await play.agent('cleo')).balance, '1');
});

test('a retry with the same key gets the first answer', async () => {
  const idempotencyKey = randomUUID();
  const body = { agent_id: 'cleo', amount: '2', provider_transaction_id: 'RETRY-1' } as const;
  const first = await admin.createCredit(body, { idempotencyKey });
  assert.deepEqual(await admin.createCredit(body, { idempotencyKey }), first);
});

/** Makes an account look as if it had been made and reset two days ago. */
async function age(name: string): Promise<void> {
  await superuser.run(`update account set created_at = created_at - interval '2 days' where name = '${name}'`);
  await superuser.run(
    `update account_hand h set at = h.at - interval '2 days' from account a where a.account_id = h.account_id and a.name = '${name}'`,
  );
}

test('above the limit another admin decides; no admin approves their own proposal', async () => {
  const { credit } = dataOf(await create(alan, { agent_id: 'dan', amount: '250', provider_transaction_id: 'BIG1' }));
  assert.deepEqual([credit.state, credit.net, credit.ledger_entry_id], ['proposed', '0', null]);
  assert.equal((await play.agent('dan')).balance, '0');
  const params = { credit_id: credit.credit_id };
  await refuses(alan.approveCredit(params), 'second_admin_needed');
  await refuses(create(second, { provider_transaction_id: 'BIG1' }), 'transaction_credited');
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, () => bea.client.raw.approveCredit({ ...params, reason: 'I saw it' })),
  );
  assert.equal(outcomes.filter(({ ok }) => ok).length, 1);
  for (const outcome of outcomes) if (!outcome.ok) assert.equal(outcome.problem.code, 'credit_decided');
  const [shown] = (await admin.listCredits({ agent_id: 'dan' })).credits;
  assert.deepEqual(
    [shown?.state, shown?.net, shown?.decided_by, shown?.decision_reason],
    ['credited', '250', `account ${bea.accountId}`, 'I saw it'],
  );
  assert.equal((await play.agent('dan')).balance, '250');
  await refuses(second.rejectCredit({ ...params, reason: 'too late' }), 'credit_decided');
});

/** The reason why `approver` may not approve a proposal of `asker`; null if the approval succeeds. */
async function approves(asker: TestClient, approver: TestClient): Promise<string | null> {
  const { credit } = dataOf(await create(asker, { agent_id: 'dan', amount: '150' }));
  const outcome = await approver.raw.approveCredit({ credit_id: credit.credit_id });
  if (outcome.ok) return null;
  assert.equal(outcome.problem.code, 'second_admin_needed');
  await admin.rejectCredit({ credit_id: credit.credit_id, reason: 'a test' });
  return outcome.problem.detail;
}

test('an admin who made or reset an account, and that account, never approve proposals of each other', async () => {
  assert.match((await approves(grace.client, alan)) ?? '', /made or reset/, 'Grace made Alan');
  assert.match((await approves(alan, grace.client)) ?? '', /made or reset/, 'and could be Alan');
  const puppet = await invite({ ...bea, client: bea.client }, play.url, { name: 'Puppet', role: 'admin' });
  await age('Puppet');
  assert.match((await approves(bea.client, puppet.client)) ?? '', /made or reset/);
  assert.equal(await approves(alan, puppet.client), null, 'Alan did not make Puppet');
  assert.match((await approves(grace.client, puppet.client)) ?? '', /made or reset/, 'Grace made Bea, who made Puppet');
});

test("an account that another admin reset counts as that admin's, and may approve for others only 24 hours later", async () => {
  const carl = await invite(grace, play.url, { name: 'Carl', role: 'admin' });
  assert.match((await approves(alan, carl.client)) ?? '', /24 hours/, 'made a moment ago');
  await age('Carl');
  assert.equal(await approves(alan, carl.client), null);
  const { reset } = await alan.resetPassword({ account_id: carl.accountId });
  const redeemed = await clientOf(play.url).raw.redeemCode({ code: reset.code, password: PASSWORD });
  const taken = personOf(play.url, dataOf(redeemed).account.account_id, cookieOf(redeemed.response));
  await age('Carl');
  assert.match((await approves(alan, taken.client)) ?? '', /made or reset/);
});

test('a key cannot approve and its proposals cannot be approved; the same holds for an account that a key made', async () => {
  assert.match((await approves(alan, admin)) ?? '', /A key cannot approve/);
  assert.match((await approves(admin, alan)) ?? '', /A key proposed/);
  const { invitation } = await admin.createAccount({ name: 'Keyed', role: 'admin' });
  const answer = await clientOf(play.url).raw.redeemCode({ code: invitation?.code ?? '', password: PASSWORD });
  await age('Keyed');
  assert.match(
    (await approves(alan, personOf(play.url, dataOf(answer).account.account_id, cookieOf(answer.response)).client)) ??
      '',
    /A key created/,
  );
});

test('an admin can give no more as rewards in a day than as credits without a second admin', async () => {
  const body = { agent_id: 'cleo', reason: 'much' };
  await alan.rewardAgent({ ...body, amount: '60' });
  const over = alan.rewardAgent({ ...body, amount: '41' });
  await refuses(over, 'allowance_exceeded', /40 aiDollars are left .*another admin must approve/);
  await alan.rewardAgent({ ...body, amount: '40' });
  const own = await alan.getAllowance();
  assert.deepEqual([own.daily, own.used, own.left], ['100', '100', '0']);
  await alan.penalizeAgent({ ...body, amount: '100' });
  const pieces = await Promise.all(
    Array.from({ length: 8 }, () => bea.client.raw.rewardAgent({ ...body, amount: '30' })),
  );
  assert.equal(pieces.filter(({ ok }) => ok).length, 3, 'also in concurrent parts');
});

test('a payment in several parts exceeds the limit too, even with concurrent requests', async () => {
  const pieces = await Promise.all(Array.from({ length: 6 }, () => create(second, { agent_id: 'eve', amount: '30' })));
  const states = pieces.map((piece) => dataOf(piece).credit.state);
  assert.equal(states.filter((state) => state === 'credited').length, 3);
  assert.equal((await play.agent('eve')).balance, '90');
});

test('a rejected proposal frees its transaction, and an admin may withdraw their own proposal', async () => {
  const { credit } = dataOf(await create(admin, { agent_id: 'dan', amount: '1000', provider_transaction_id: 'TYPO' }));
  const { credit: rejected } = await admin.rejectCredit({ credit_id: credit.credit_id, reason: 'a nought too many' });
  assert.deepEqual(
    [rejected.state, rejected.decided_by, rejected.decision_reason],
    ['rejected', 'key admin', 'a nought too many'],
  );
  await refuses(second.approveCredit({ credit_id: credit.credit_id }), 'credit_decided');
  assert.equal(
    dataOf(await create(admin, { agent_id: 'dan', amount: '10', provider_transaction_id: 'TYPO' })).credit.state,
    'credited',
  );
  await refuses(admin.approveCredit({ credit_id: randomUUID() }), 'no_such_credit');
});

test('a credit for an unknown agent or a closed account, or with an invalid amount or id, is refused', async () => {
  await refuses(create(admin, { agent_id: 'nobody' }), 'no_such_agent');
  const { uid } = await play.agent('fay');
  await clientOf(play.url, TOKENS.operator).closeAgent({ agent_id: 'fay', uid });
  await refuses(create(admin, { agent_id: 'fay', provider_transaction_id: 'CLOSED-1' }), 'account_closed');
  assert.equal(
    dataOf(await create(admin, { agent_id: 'cleo', provider_transaction_id: 'CLOSED-1', amount: '1' })).credit.state,
    'credited',
    'a refusal leaves no proposal',
  );
  for (const body of [
    { amount: '0' },
    { amount: '-1' },
    { provider_transaction_id: '' },
    { provider_transaction_id: 'a b' },
    { provider: 'Pay Pal' },
  ])
    await refuses(create(admin, body), 'validation_failed', JSON.stringify(body));
});

test('credits are listed in pages, newest first', async () => {
  const first = await admin.listCredits({ limit: 2 });
  assert.equal(first.approval_limit, '100');
  const second = await admin.listCredits({ limit: 100, cursor: first.next_cursor ?? '' });
  const all = (await admin.listCredits({ limit: 100 })).credits;
  assert.deepEqual([...first.credits, ...second.credits], all);
  assert.ok((await admin.listCredits({ state: 'proposed' })).credits.every(({ state }) => state === 'proposed'));
  await refuses(admin.listCredits({ state: 'proposed', cursor: first.next_cursor ?? '' }), 'cursor_invalid');
});

test("comparing the books with a provider's statement finds payments on one side only, and different amounts", async () => {
  const ids = { ours: 'REC-OURS', theirs: 'REC-THEIRS', differs: 'REC-DIFFERS', same: 'REC-SAME', gone: 'REC-GONE' };
  for (const [name, amount] of [
    ['ours', '1'],
    ['differs', '2'],
    ['same', '3'],
  ] as const)
    dataOf(await create(admin, { provider: 'bank', agent_id: 'cleo', provider_transaction_id: ids[name], amount }));
  const at = new Date().toISOString();
  const line = (id: string, amount: string, reference?: string) => ({
    provider_transaction_id: id,
    amount,
    currency: 'USD',
    at,
    ...(reference === undefined ? {} : { reference_id: reference }),
  });
  const [from, through] = [-HOUR_MS, HOUR_MS].map((ms) => new Date(Date.now() + ms).toISOString());
  const statement = (transactions: ReturnType<typeof line>[]) =>
    admin.importStatement({ provider: 'bank', from: from ?? '', through: through ?? '', transactions });
  const lines = [
    line(ids.theirs, '7.00'),
    line(ids.differs, '2.01'),
    line(ids.same, '3.5'),
    line('BACK-1', '-0.50', ids.same),
    line(ids.gone, '4'),
    line('BACK-2', '-4.00', ids.gone),
  ];
  assert.deepEqual(await statement(lines), { lines: 6, differences: 3 });
  const view = await books();
  const shown = (of: ReconciliationView['only_ours']) =>
    of.map(({ provider_transaction_id: id, agent_id: agent, ours, theirs, owner }) => [
      id,
      agent,
      ours,
      theirs?.amount ?? null,
      owner,
    ]);
  assert.deepEqual(shown(view.only_ours), [[ids.ours, 'cleo', '1', null, 'key admin']]);
  assert.deepEqual(shown(view.only_theirs), [[ids.theirs, null, null, '7', 'admins']]);
  assert.deepEqual(shown(view.amount_differs), [[ids.differs, 'cleo', '2', '2.01', 'key admin']]);
  assert.equal(view.paypal, 'off');
  assert.deepEqual(pluck(view.providers, 'provider'), ['bank']);

  const [theirs] = view.only_theirs;
  assert.ok(theirs !== undefined && !theirs.overdue && theirs.age_s < 3_600);
  const params = { difference_id: theirs.difference_id };
  const explained = await second.changeDifference({
    ...params,
    owner: 'key second',
    explanation: 'paid to the wrong village',
  });
  assert.deepEqual(
    [explained.difference.owner, explained.difference.explanation, explained.difference.explained_by],
    ['key second', 'paid to the wrong village', 'key second'],
  );
  await refuses(second.changeDifference({ difference_id: randomUUID(), owner: 'x' }), 'no_such_difference');

  await db
    .updateTable('difference')
    .set({ found_at: new Date(Date.now() - 25 * HOUR_MS) } as never)
    .where('settled_at', 'is', null)
    .execute();
  const later = await books();
  assert.deepEqual(
    pluck([...later.only_ours, ...later.only_theirs, ...later.amount_differs], 'overdue'),
    [true, false, true],
    'an explained difference is not overdue',
  );

  assert.deepEqual(await statement([line(ids.ours, '1.00'), line(ids.differs, '2.00')]), {
    lines: 2,
    differences: 1,
  });
  const agreed = await books();
  assert.deepEqual([agreed.only_ours.length, agreed.only_theirs.length, agreed.amount_differs.length], [0, 1, 0]);
});

test('PayPal is off by default, and the log says so', async () => {
  assert.ok(village.logs.some((line) => line.includes('PayPal payments are off')));
  const response = await fetch(`${play.url}${receivePayPalWebhook.path}`, { method: 'POST', body: '{}' });
  assert.deepEqual([response.status, ((await response.json()) as { code: string }).code], [409, 'paypal_off']);
});

test('the books violate no rule', async () => {
  await assertBooks(db);
});
