/** Concurrent requests for the same thing: exactly one succeeds, and the ledger stays consistent. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cases } from '@hamlet/test/env/seeded';
import { sql } from 'kysely';
import { closeLife, openLife } from '../agents/lives.ts';
import { inTransaction } from '../connection/database.ts';
import { findAgentAccount } from './accounts.ts';
import { freezeMoment, readAllowance, readBalances, readFunds, readFundsAt } from './balances.ts';
import { type AgentJudged, judgeAgent } from './judge-agent.ts';
import { postBatch } from './post-batch.ts';
import { holdMoney, postTransfer, type ResolutionRequest } from './post-transfer.ts';
import { AHEAD, testLedger } from './testing/test-ledger.ts';
import { expireHolds } from './upkeep.ts';

const CLIENTS = 20;
/** Concurrent transfers of one test. */
const TRANSFERS = cases(150, 400);

const ledger = await testLedger(CLIENTS);
const { compute, treasury } = ledger;

/** Runs `work` `count` times, CLIENTS at a time. */
async function inParallel<T>(count: number, work: (index: number) => Promise<T>): Promise<readonly T[]> {
  const indexes = Array.from({ length: count }, (_, index) => index).values();
  const results: T[] = [];
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const index of indexes) results.push(await work(index));
    }),
  );
  return results;
}

function tallyOf(
  outcomes: readonly (
    | { readonly ok: true; readonly replayed: boolean }
    | { readonly ok: false; readonly reason: string }
  )[],
): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const outcome of outcomes) {
    const kind = outcome.ok ? (outcome.replayed ? 'replayed' : 'done') : outcome.reason;
    tally[kind] = (tally[kind] ?? 0) + 1;
  }
  return tally;
}

test('500 transfers, each reversed twice concurrently: 500 reversals succeed', async () => {
  const agents = await Promise.all(Array.from({ length: 20 }, (_, index) => ledger.account(`reverse-${index}`, 0n)));
  const transfers = await inParallel(500, (index) =>
    ledger.post(ledger.request([treasury, agents[index % agents.length] ?? 0], 7n, `reverse me ${index}`)),
  );
  const ids = transfers.flatMap((outcome) => (outcome.ok ? [outcome.transferId, outcome.transferId] : []));
  const outcomes = await inParallel(1_000, (index) => ledger.reverse(ids[index] ?? '', randomUUID()));
  assert.deepEqual(tallyOf(outcomes), { done: 500, already_reversed: 500 });
  for (const agent of agents) assert.equal((await readFunds(ledger.db, agent)).balance, 0n);
});

test('one hold posted by 100 clients is posted once', async () => {
  const agent = await ledger.account('held', 100n);
  const held = await ledger.hold(ledger.request([agent, compute], 60n, 'one hold'));
  assert.ok(held.ok);
  const outcomes = await inParallel(100, (index) =>
    ledger.resolve({ holdId: held.holdId, outcome: 'posted', amount: 45n, key: `post ${index}` }),
  );
  assert.deepEqual(tallyOf(outcomes), { done: 1, hold_resolved: 99 });
  const { balance, held: still } = await readFunds(ledger.db, agent);
  assert.deepEqual([balance, still], [55n, 0n]);
});

const ROUNDS = cases(60, 10_000);

test(`${ROUNDS} holds, each posted and voided concurrently: exactly one succeeds`, async () => {
  const agents = await Promise.all(
    Array.from({ length: CLIENTS }, (_, index) => ledger.account(`round-${index}`, 1_000_000n)),
  );
  const kinds = { posted: 0, voided: 0 };
  await inParallel(ROUNDS, async (index) => {
    const agent = agents[index % agents.length] ?? 0;
    const held = await ledger.hold(ledger.request([agent, compute], 3n, `round ${index}`));
    assert.ok(held.ok);
    const end = (outcome: ResolutionRequest['outcome']) =>
      ledger.resolve({ holdId: held.holdId, outcome, key: `${outcome} ${index}` });
    const [first, second] = index % 2 === 0 ? (['posted', 'voided'] as const) : (['voided', 'posted'] as const);
    const [one, other] = await Promise.all([end(first), end(second)]);
    assert.notEqual(one.ok, other.ok);
    kinds[one.ok ? first : second] += 1;
  });
  const spent = (await Promise.all(agents.map((agent) => readFunds(ledger.db, agent)))).reduce(
    (sum, { balance, held }) => sum + 1_000_000n - balance + held,
    0n,
  );
  assert.equal(spent, 3n * BigInt(kinds.posted), 'the posted holds are spent, and nothing is held any more');
});

test('concurrent transfers with the same key are posted once, alone or in a batch', async () => {
  const agent = await ledger.account('storm', 0n);
  const keys = Array.from({ length: 50 }, () => randomUUID());
  const outcomes = await inParallel(TRANSFERS, (index) =>
    ledger.within(async (tx) => {
      const key = keys[index % keys.length] ?? '';
      const request = ledger.request([treasury, agent], 1n, key);
      if (index % 4 !== 0) return [await postTransfer(tx, request)];
      return postBatch(tx, [request, ledger.request([treasury, agent], 1n, keys[(index + 7) % keys.length] ?? '')]);
    }),
  );
  const ids = new Set(outcomes.flat().map((outcome) => (outcome.ok ? outcome.transferId : outcome.reason)));
  assert.equal(ids.size, keys.length);
  assert.equal(tallyOf(outcomes.flat())['done'], keys.length);
  assert.equal((await readFunds(ledger.db, agent)).balance, BigInt(keys.length));
});

test('concurrent transfers never spend more than the balance', async () => {
  const agent = await ledger.account('spender', 100n);
  const outcomes = await inParallel(60, (index) =>
    ledger.within(async (tx) => {
      const request = ledger.request([agent, compute], 7n, `spend ${index}`);
      if (index % 3 === 0) return holdMoney(tx, { ...request, expiresAt: AHEAD });
      if (index % 3 === 1) return postTransfer(tx, request);
      const [outcome] = await postBatch(tx, [request]);
      return outcome ?? { ok: false as const, reason: 'nothing' };
    }),
  );
  assert.deepEqual(tallyOf(outcomes), { done: 14, insufficient_funds: 46 });
  const { balance, held } = await readFunds(ledger.db, agent);
  assert.equal(balance - held, 2n);
});

test('rings of transfers in both directions never deadlock', async () => {
  const agents = await Promise.all(Array.from({ length: 6 }, (_, index) => ledger.account(`ring-${index}`, 1_000n)));
  const outcomes = await inParallel(TRANSFERS, (index) =>
    ledger.within(async (tx) => {
      const [agent, other, bank] = [agents[index % 6] ?? 0, agents[(index * 5 + 1) % 6] ?? 0, compute];
      if (index % 2 === 0)
        return [
          await postTransfer(tx, ledger.request(index % 4 === 0 ? [agent, bank] : [bank, agent], 1n, `ring ${index}`)),
        ];
      return postBatch(tx, [
        ledger.request([other, bank], 1n, `ring ${index} a`),
        ledger.request([bank, agent], 1n, `ring ${index} b`),
      ]);
    }),
  );
  assert.deepEqual(Object.keys(tallyOf(outcomes.flat())), ['done']);
});

interface Draw {
  readonly key: string;
  readonly amount: bigint;
  readonly member?: string;
  readonly agentId?: string;
  readonly day?: string;
  readonly opens?: boolean;
}

/** A reward by a member with a daily allowance of 10. */
function judge({
  key,
  amount,
  member = 'mo',
  agentId = 'judged',
  day = '2026-11-22',
  opens = true,
}: Draw): Promise<AgentJudged> {
  const judgement = {
    kind: 'reward',
    agentId,
    opens,
    amount,
    key,
    source: member,
    note: 'n',
    actor: { role: 'member', id: member },
    allowance: { day, limit: 10n },
    subject: null,
  } as const;
  return ledger.within((tx) => judgeAgent(tx, judgement));
}

test('two concurrent uses of an allowance never exceed it', async () => {
  await ledger.account('judged', 0n);
  const drawn = await inParallel(40, (index) => judge({ key: `draw ${index}`, amount: 3n }));
  assert.equal(drawn.filter(({ ok }) => ok).length, 3);
  assert.deepEqual(
    [...new Set(drawn.map((outcome) => (outcome.ok ? null : `${outcome.reason} ${outcome.available}`)))].toSorted(),
    ['allowance_exceeded 1', null],
  );
  assert.equal((await judge({ key: 'a new day', amount: 10n, day: '2026-11-23' })).ok, true);
  assert.deepEqual(await judge({ key: 'too much at once', amount: 11n, member: 'jo' }), {
    ok: false,
    reason: 'allowance_exceeded',
    available: 10n,
  });
  assert.equal((await readBalances(ledger.db, ['judged'])).get('judged'), 19n, 'refused rewards moved no money');
});

test('concurrent retries of a judgement are posted and counted once; its key with another amount is refused', async () => {
  const outcomes = await inParallel(40, () => judge({ key: 'once', amount: 4n, member: 'flo', agentId: 'newcomer' }));
  assert.equal(outcomes.filter((outcome) => outcome.ok && !outcome.replayed).length, 1);
  const entries = outcomes.map((outcome) => (outcome.ok ? outcome.entry : null));
  for (const entry of entries) assert.deepEqual(entry, entries[0]);
  assert.deepEqual([entries[0]?.version, entries[0]?.balanceAfter], [1, 4n]);
  assert.equal(await readAllowance(ledger.db, { memberId: 'flo', day: '2026-11-22' }), 4n);
  assert.deepEqual(await judge({ key: 'once', amount: 5n, member: 'flo', agentId: 'newcomer' }), {
    ok: false,
    reason: 'key_reused',
    available: 0n,
  });
  assert.deepEqual(await judge({ key: 'nobody', amount: 1n, agentId: 'nobody', opens: false }), {
    ok: false,
    reason: 'no_such_account',
    available: 0n,
  });
});

/** Thirty holds that expire in three seconds, or later if creating them takes longer. */
async function holdsThatEnd(
  between: readonly [payer: number, payee: number],
): Promise<{ readonly ids: readonly string[]; readonly lastMs: number }> {
  for (let lastMs = 3_000; ; lastMs *= 2) {
    const holds = await inParallel(30, (index) =>
      ledger.hold(ledger.request(between, 1n, `late ${lastMs} ${index}`), new Date(Date.now() + lastMs)),
    );
    const ids = holds.flatMap((hold) => (hold.ok ? [hold.holdId] : []));
    if (ids.length === holds.length) return { ids, lastMs };
    await sleep(lastMs + 100);
    while ((await expireHolds(ledger.db, 30)) > 0);
  }
}

test('an expired hold can only be released, and concurrent jobs release it once', async () => {
  const agent = await ledger.account('late', 50n);
  const { ids, lastMs } = await holdsThatEnd([agent, compute]);
  assert.equal((await readFunds(ledger.db, agent)).held, 30n);
  await sleep(lastMs + 100);
  const posted = await ledger.resolve({ holdId: ids[0] ?? '', outcome: 'posted', key: 'too late' });
  assert.deepEqual(posted, { ok: false, reason: 'hold_expired' });
  const freed = await Promise.all(Array.from({ length: 10 }, () => expireHolds(ledger.db, 7)));
  let total = freed.reduce((sum, count) => sum + count, 0);
  for (let count = await expireHolds(ledger.db, 7); count > 0; count = await expireHolds(ledger.db, 7)) total += count;
  assert.equal(total, 30);
  const { balance, held } = await readFunds(ledger.db, agent);
  assert.deepEqual([balance, held], [50n, 0n]);
});

for (const outcome of ['voided', 'posted'] as const) {
  test(`the held money at a moment stays the same if a hold is ${outcome} during the read`, async () => {
    const agent = await ledger.account(`final-${outcome}`, 100n);
    const hold = await ledger.hold(ledger.request([agent, compute], 40n, `final ${outcome}`));
    assert.ok(hold.ok);
    let resolving: Promise<unknown> = Promise.resolve();
    const read = await ledger.owner.transaction().execute(async (tx) => {
      // A posting must wait for this lock; another reader need not.
      await sql`select 1 from ledger.account where account_id = ${agent} for share`.execute(tx);
      resolving = ledger.resolve({ holdId: hold.holdId, outcome, key: `end ${outcome}` });
      await ledger.blocked();
      const asOf = await freezeMoment(ledger.db, agent, null);
      return { asOf, funds: await readFundsAt(ledger.db, agent, asOf) };
    });
    await resolving;
    assert.deepEqual([read.funds.balance, read.funds.held], [100n, 40n]);
    assert.deepEqual(await readFundsAt(ledger.db, agent, read.asOf), read.funds);
  });
}

test('an account opens with the first life, closes with the last, and keeps its balance for the next', async () => {
  await openLife(ledger.db, 'life-1', 'reborn');
  const account = await findAgentAccount(ledger.db, 'reborn');
  assert.equal(account?.closedAt, null);
  await ledger.account('reborn', 9n);
  await openLife(ledger.db, 'life-2', 'reborn');
  await closeLife(ledger.db, 'life-1', 'reborn');
  assert.equal((await findAgentAccount(ledger.db, 'reborn'))?.closedAt, null, 'a newer life has the name');
  await closeLife(ledger.db, 'life-2', 'reborn');
  assert.notEqual((await findAgentAccount(ledger.db, 'reborn'))?.closedAt, null);
  assert.equal((await readBalances(ledger.db, ['reborn', 'nobody'])).get('reborn'), 9n);
  await openLife(ledger.db, 'life-3', 'reborn');
  assert.deepEqual(await findAgentAccount(ledger.db, 'reborn'), account);
});

test('a reversal locks the account with the lower id first, whichever side pays', async () => {
  const agent = await ledger.account('lock-order', 100n);
  assert.ok(treasury < agent);
  const lock = (db: typeof ledger.owner, account: number, clause: string) =>
    sql`select from ledger.account where account_id = ${account} for no key update ${sql.raw(clause)}`.execute(db);
  for (const between of [
    [treasury, agent],
    [agent, treasury],
  ] as const) {
    const posted = await ledger.post(ledger.request(between, 1n, randomUUID()));
    assert.ok(posted.ok);
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = inTransaction(ledger.owner, async (tx) => {
      await lock(tx, agent, '');
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const reversal = ledger.reverse(posted.transferId, randomUUID());
    try {
      await ledger.blocked();
      assert.equal((await lock(ledger.owner, treasury, 'skip locked')).rows.length, 0, 'it holds the lower account');
    } finally {
      release.resolve();
      await holder;
    }
    assert.ok((await reversal).ok);
  }
});
