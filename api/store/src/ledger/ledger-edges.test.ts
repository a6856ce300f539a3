/** The boundary cases of each rule of the ledger, for a single transfer, a batch and a hold. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { pluck } from '@hamlet/test/env/pluck';
import { closeAgentAccount } from './accounts.ts';
import { freezeMoment, readFunds } from './balances.ts';
import { type AgentJudged, judgeAgent } from './judge-agent.ts';
import { postBatch } from './post-batch.ts';
import { testLedger } from './testing/test-ledger.ts';
import type { TransferRequest } from './transfer-request.ts';

const AMOUNT_MAX = 1_000_000_000_000_000n;

const ledger = await testLedger(2);
const { compute, treasury, within } = ledger;
let names = 0;

const nextName = (): string => `edge-${(names += 1)}`;
const done = (outcome: { readonly ok: boolean; readonly reason?: string; readonly replayed?: boolean }): string =>
  outcome.ok ? (outcome.replayed === true ? 'replayed' : 'done') : (outcome.reason ?? '');

/** A request that the ledger always refuses, which makes it process a batch item by item. */
const refusedOne = (): TransferRequest => ledger.request([compute, compute], 1n, nextName());

/** Every way to begin a transfer. */
const DOORS: Readonly<Record<string, (request: TransferRequest) => Promise<string>>> = {
  alone: async (request) => done(await ledger.post(request)),
  'in a batch': (request) => within(async (tx) => (await postBatch(tx, [request])).map(done).join()),
  'in a batch with a refused item': (request) =>
    within(async (tx) => (await postBatch(tx, [refusedOne(), request])).map(done).at(-1) ?? ''),
  'set aside': async (request) => done(await ledger.hold(request)),
};
const POSTING = Object.entries(DOORS).filter(([door]) => door !== 'set aside');

async function heldBy(account: number, amount: bigint): Promise<string> {
  const held = await ledger.hold(ledger.request([account, compute], amount, nextName()));
  assert.ok(held.ok);
  return held.holdId;
}

for (const [door, ask] of Object.entries(DOORS)) {
  test(`${door}: texts and amounts are accepted up to their limits`, async () => {
    const request = (changes: Partial<TransferRequest>): TransferRequest => ({
      ...ledger.request([treasury, compute], 1n, nextName()),
      ...changes,
    });
    const key = `${nextName()} `.padEnd(400, 'k');
    for (const good of [{ key }, { source: 's'.repeat(200) }, { note: 'n'.repeat(500) }, { amount: AMOUNT_MAX }]) {
      assert.equal(await ask(request(good)), 'done', JSON.stringify(Object.keys(good)));
    }
    for (const bad of [
      { key: '' },
      { key: `${key}k` },
      { source: '' },
      { source: 's'.repeat(201) },
      { note: 'n'.repeat(501) },
    ])
      assert.equal(await ask(request(bad)), 'malformed', JSON.stringify(Object.keys(bad)));
    for (const amount of [0n, -1n, AMOUNT_MAX + 1n])
      assert.equal(await ask(request({ amount })), 'amount_out_of_range');
  });

  test(`${door}: all available money can be spent, and not one micro-aiDollar more`, async () => {
    const account = await ledger.account(nextName(), 100n);
    await heldBy(account, 40n);
    assert.equal(await ask(ledger.request([account, compute], 61n, nextName())), 'insufficient_funds');
    assert.equal(await ask(ledger.request([account, compute], 60n, nextName())), 'done');
    assert.equal(await ask(ledger.request([account, compute], 1n, nextName())), 'insufficient_funds');
  });

  test(`${door}: transfers from or to a closed or unknown account, or within one account, are refused`, async () => {
    const [open, name] = [await ledger.account(nextName(), 100n), nextName()];
    const closed = await ledger.account(name, 100n);
    await within((tx) => closeAgentAccount(tx, name));
    const outcome = (between: readonly [number, number]): Promise<string> =>
      ask(ledger.request(between, 1n, nextName()));
    assert.equal(await outcome([closed, compute]), 'account_closed');
    assert.equal(await outcome([treasury, closed]), 'account_closed');
    assert.equal(await outcome([treasury, open]), 'done');
    for (const unknown of [-7_777_777, 7_777_777]) {
      assert.equal(await outcome([unknown, compute]), 'no_such_account');
      assert.equal(await outcome([compute, unknown]), 'no_such_account');
    }
    assert.equal(await outcome([compute, compute]), 'same_account');
    assert.equal(await outcome([open, closed]), 'agents_never_pay_agents');
  });
}

for (const [door, ask] of POSTING) {
  test(`${door}: a transfer has its caller's time, and the key also covers that time`, async () => {
    const eventAt = new Date('2026-01-02T03:04:05Z');
    const [reported, unreported] = [nextName(), nextName()];
    const request = (key: string, changes: Partial<TransferRequest> = {}): TransferRequest => ({
      ...ledger.request([treasury, compute], 3n, key),
      ...changes,
    });
    assert.equal(await ask(request(reported, { eventAt })), 'done');
    assert.equal(await ask(request(unreported)), 'done');
    const { rows } = await sql<{ key: string; event: Date; same: boolean }>`
      select idempotency_key as key, event_at as event, event_at = created_at as same from ledger.transfer where idempotency_key in (${reported}, ${unreported}) order by length(idempotency_key), idempotency_key`.execute(
      ledger.db,
    );
    assert.deepEqual(pluck(rows, 'key', 'same'), [
      [reported, false],
      [unreported, true],
    ]);
    assert.deepEqual(rows[0]?.event, eventAt);
    assert.equal(await ask(request(reported, { eventAt })), 'replayed');
    assert.equal(await ask(request(unreported)), 'replayed');
    assert.equal(await ask(request(reported, { eventAt: new Date(eventAt.getTime() + 1) })), 'key_reused');
    assert.equal(await ask(request(reported)), 'key_reused');
    assert.equal(await ask(request(unreported, { eventAt })), 'key_reused');
  });
}

test('equal items of a batch become one transfer, and the same key with another time or post is refused', async () => {
  const first = {
    ...ledger.request([treasury, compute], 3n, nextName()),
    eventAt: new Date('2026-01-02T03:04:05Z'),
    about: { relatedPostId: '00000000-0000-4000-8000-000000000001' },
  };
  const outcomes = await within((tx) =>
    postBatch(tx, [
      first,
      first,
      { ...first, eventAt: new Date('2026-01-02T03:04:06Z') },
      { ...first, about: { relatedPostId: '00000000-0000-4000-8000-000000000002' } },
      { ...first, note: 'other' },
      { ...first, amount: 4n },
    ]),
  );
  assert.deepEqual(outcomes.map(done), ['done', 'replayed', 'key_reused', 'key_reused', 'key_reused', 'key_reused']);
});

test('a later item of a batch can spend exactly the money that an earlier item brought', async () => {
  const account = await ledger.account(nextName(), 10n);
  const spend = (amount: bigint): TransferRequest => ledger.request([account, compute], amount, nextName());
  const earn = (amount: bigint): TransferRequest => ledger.request([treasury, account], amount, nextName());
  const outcome = async (...requests: readonly TransferRequest[]): Promise<readonly string[]> =>
    (await within((tx) => postBatch(tx, requests))).map(done);
  assert.deepEqual(await outcome(spend(10n), earn(5n), spend(5n)), ['done', 'done', 'done']);
  assert.deepEqual(await outcome(spend(1n), earn(5n), spend(5n), spend(1n)), [
    'insufficient_funds',
    'done',
    'done',
    'insufficient_funds',
  ]);
  const entries = await sql<{ version: number; amount: string; balance: string }>`
    select version, amount::text, balance_after::text as balance from ledger.entry where account_id = ${account} order by version`.execute(
    ledger.db,
  );
  assert.deepEqual(pluck(entries.rows, 'version', 'amount', 'balance'), [
    [1, '10', '10'],
    [2, '-10', '0'],
    [3, '5', '5'],
    [4, '-5', '0'],
    [5, '5', '5'],
    [6, '-5', '0'],
  ]);
});

test('a hold can be posted up to its amount, and only the same resolution can be repeated', async () => {
  const account = await ledger.account(nextName(), 100n);
  const resolve = async (
    holdId: string,
    changes: { readonly outcome?: 'posted' | 'voided' | 'expired'; readonly amount?: bigint; readonly key: string },
  ): Promise<string> => done(await ledger.resolve({ holdId, outcome: 'posted', ...changes }));
  const [small, whole, key] = [await heldBy(account, 10n), await heldBy(account, 10n), nextName()];
  assert.equal(await resolve(small, { amount: 0n, key }), 'amount_out_of_range');
  assert.equal(await resolve(small, { amount: 11n, key }), 'more_than_held');
  assert.equal(await resolve(small, { outcome: 'expired', key }), 'hold_not_expired');
  assert.equal(await resolve(small, { amount: 1n, key }), 'done');
  assert.equal(await resolve(whole, { amount: 10n, key: `${key} whole` }), 'done');
  assert.equal(await resolve(small, { amount: 1n, key }), 'replayed');
  for (const other of [
    { amount: 2n, key },
    { amount: 1n, key: `${key} other` },
    { outcome: 'voided' as const, key },
  ])
    assert.equal(await resolve(small, other), 'hold_resolved');
  const { balance, held } = await readFunds(ledger.db, account);
  assert.deepEqual([balance, held], [89n, 0n]);
});

test('a repeated request returns the same hold, even after its end; a different request with its key is refused', async () => {
  const account = await ledger.account(nextName(), 100n);
  const wish = ledger.request([account, compute], 70n, nextName());
  const hold = async (amount = 70n, expiresAt?: Date): Promise<string> =>
    done(await ledger.hold({ ...wish, amount }, expiresAt));
  assert.equal(await hold(70n, new Date('2001-01-01')), 'hold_expired');
  assert.deepEqual(
    [await hold(), await hold(), await hold(70n, new Date('2998-01-01'))],
    ['done', 'replayed', 'replayed'],
  );
  assert.equal(await hold(20n), 'key_reused');
  assert.equal((await readFunds(ledger.db, account)).held, 70n);
});

test('only a forced reversal makes a balance negative, and its entry shows it', async () => {
  const account = await ledger.account(nextName(), 0n);
  const earned = async (amount: bigint): Promise<string> => {
    const posted = await ledger.post(ledger.request([treasury, account], amount, nextName()));
    assert.ok(posted.ok);
    return posted.transferId;
  };
  const reverse = async (transferId: string, forced: boolean, key = nextName()): Promise<string> =>
    done(await ledger.reverse(transferId, key, forced));
  const [first, second, key] = [await earned(10n), await earned(5n), nextName()];
  assert.equal(await reverse(second, true, key), 'done');
  assert.equal(await reverse(second, true, key), 'replayed');
  assert.equal(await reverse(second, true), 'already_reversed');
  const third = await earned(7n);
  assert.equal(done(await ledger.post(ledger.request([account, compute], 7n, nextName()))), 'done');
  assert.equal(await reverse(first, true), 'done', 'to nothing');
  assert.equal(await reverse(third, false), 'insufficient_funds');
  assert.equal(await reverse(third, true), 'done');
  const { rows } = await sql<{
    balance: string;
    below: boolean;
  }>`select balance_after::text as balance, below_zero as below from ledger.entry where account_id = ${account} order by version`.execute(
    ledger.db,
  );
  assert.deepEqual(pluck(rows, 'balance', 'below'), [
    ['10', false],
    ['15', false],
    ['10', false],
    ['17', false],
    ['10', false],
    ['0', false],
    ['-7', true],
  ]);
});

test('the moment of a read is never in the future, and a past moment stays as requested', async () => {
  const back = '2026-01-02T03:04:05.000006Z';
  assert.equal(await freezeMoment(ledger.db, compute, back), back);
  assert.ok((await freezeMoment(ledger.db, compute, '2999-01-01T00:00:00.000000Z')) < '2998');
});

function judged(changes: {
  readonly kind?: 'reward' | 'penalty';
  readonly agentId: string;
  readonly amount: bigint;
  readonly member?: string;
  readonly opens?: boolean;
  /** Null for an actor without an allowance. */
  readonly limit?: bigint | null;
}): Promise<AgentJudged> {
  const { kind = 'reward', agentId, amount, member = 'mo', opens = false, limit = 10n } = changes;
  return within((tx) =>
    judgeAgent(tx, {
      kind,
      agentId,
      opens,
      amount,
      key: nextName(),
      source: member,
      note: '',
      actor: { role: 'member', id: member },
      allowance: limit === null ? null : { day: '2026-11-22', limit },
      subject: null,
    }),
  );
}
const refusal = (outcome: AgentJudged): unknown =>
  outcome.ok ? outcome.entry.amount : [outcome.reason, outcome.available];

test('an allowance can be used completely, but only by its member on its day', async () => {
  const agentId = nextName();
  await ledger.account(agentId, 0n);
  assert.deepEqual(refusal(await judged({ agentId, amount: 11n })), ['allowance_exceeded', 10n]);
  assert.equal(refusal(await judged({ agentId, amount: 4n })), 4n);
  assert.deepEqual(refusal(await judged({ agentId, amount: 7n })), ['allowance_exceeded', 6n]);
  assert.equal(refusal(await judged({ agentId, amount: 6n })), 6n);
  assert.deepEqual(refusal(await judged({ agentId, amount: 1n })), ['allowance_exceeded', 0n]);
  assert.deepEqual(
    refusal(await judged({ agentId, amount: 1n, limit: 3n })),
    ['allowance_exceeded', 0n],
    'a limit that was lowered afterwards',
  );
  assert.equal(
    refusal(await judged({ agentId, amount: 10n, member: 'flo' })),
    10n,
    'all of it at once, by another member',
  );
});

test('a penalty above the available money is refused with that amount; an agent needs an account, unless the call opens one', async () => {
  const agentId = nextName();
  await heldBy(await ledger.account(agentId, 100n), 30n);
  const fresh = { agentId: nextName(), amount: 1n, member: 'ann' };
  assert.deepEqual(refusal(await judged({ kind: 'penalty', agentId, amount: 71n, limit: 100n })), [
    'insufficient_funds',
    70n,
  ]);
  assert.equal(refusal(await judged({ kind: 'penalty', agentId, amount: 70n, member: 'joe', limit: 100n })), -70n);
  assert.deepEqual(refusal(await judged(fresh)), ['no_such_account', 0n]);
  assert.equal(refusal(await judged({ ...fresh, opens: true })), 1n);
  assert.equal(refusal(await judged({ ...fresh, opens: true })), 1n, 'the call uses the existing account');
  const funds = await judged({ kind: 'penalty', agentId: fresh.agentId, amount: 2n, opens: true, limit: null });
  assert.deepEqual(funds.ok && funds.entry.balanceAfter, 0n);
});
