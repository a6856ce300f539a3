/** A batch equals posting its requests one by one: the test posts random requests both ways and compares answers and tables. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawBelow } from '@hamlet/core';
import { cases, seeds } from '@hamlet/test/env/seeded';
import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { closeAgentAccount } from './accounts.ts';
import { postBatch } from './post-batch.ts';
import { type PostOutcome, postTransfer } from './post-transfer.ts';
import { testLedger } from './testing/test-ledger.ts';
import type { TransferRequest } from './transfer-request.ts';

const SEEDS = seeds(cases(30, 2_000));
const SIZE_MAX = 40;
const UNKNOWN_ACCOUNT = -7;
const POST = '0199d2a1-0000-7000-8000-000000000001';
const EVENT = new Date('2026-01-02T03:04:05.678Z');

const ledger = await testLedger(2);
const past: TransferRequest[] = [];
const opened = async (book: string, overdraw: boolean): Promise<number> => {
  const { rows } = await sql<{ id: number }>`select ledger.open_account(${book}, '', 1, ${overdraw}) as id`.execute(
    ledger.owner,
  );
  return rows[0]?.id ?? 0;
};
const rich = [await opened('bank', true), await opened('mint', true)];
const closed = await ledger.account('closed', 500n);
await ledger.within((tx) => closeAgentAccount(tx, 'closed'));
const others = [
  await ledger.account('one', 300n),
  await ledger.account('two', 0n),
  await ledger.account('three', 90n),
  await opened('pot', false),
  closed,
  UNKNOWN_ACCOUNT,
];

/** Random values of one seed, in order. */
class Draw {
  readonly #seed: number;
  #draws = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  below(limit: number): number {
    this.#draws += 1;
    return drawBelow(limit, this.#seed, this.#draws);
  }

  one<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error('nothing to choose from');
    return choice;
  }
}

/** A request that always succeeds: from an account that may be negative to an open account. */
function sound(draw: Draw, key: string): TransferRequest {
  return {
    ...ledger.request([draw.one(rich), draw.one(others.slice(0, 4))], BigInt(1 + draw.below(80)), key),
    note: draw.one(['', 'bread', 'a, (b) "c" \\', '{NULL}', 'NULL', "ä\n'"]),
    ...(draw.below(5) === 0 ? { eventAt: EVENT } : {}),
    ...(draw.below(4) === 0 ? { about: { traceparent: 'trace "1"', relatedPostId: draw.one([null, POST]) } } : {}),
  };
}

/** A request that may exceed the balance, name an unknown account, repeat another request, or be malformed. */
function wild(draw: Draw, key: string, before: readonly TransferRequest[]): TransferRequest {
  const request = sound(draw, key);
  const all = [...rich, ...others];
  const kinds = [
    () => request,
    () => request,
    () => ({ ...request, payer: draw.one(others), payee: draw.one(rich), amount: draw.one([5n, 400n, 5_000n]) }),
    () => ({
      ...request,
      payer: draw.one(others.slice(0, 4)),
      payee: draw.one(rich),
      amount: draw.one([300n, 2_000n]),
    }),
    () => ({ ...request, payer: draw.one(all), payee: draw.one(all) }),
    () => ({ ...request, amount: draw.one([0n, -5n, 2_000_000_000_000_000n, 1_000_000_000_000_000n]) }),
    () => ({
      ...request,
      ...draw.one([{ key: '' }, { key: 'k'.repeat(401) }, { source: '' }, { note: 'n'.repeat(501) }]),
    }),
    () => (before.length > 0 ? draw.one(before) : request),
    () => (before.length > 0 ? { ...request, key: draw.one(before).key } : request),
  ];
  return draw.one(kinds)();
}

/** Makes a batch. Batches of odd seeds succeed as a whole; some of them repeat transfers of earlier batches. */
function drawBatch(seed: number): readonly TransferRequest[] {
  const draw = new Draw(seed);
  const batch: TransferRequest[] = [];
  const again = draw.below(3) === 0;
  for (let size = 1 + draw.below(SIZE_MAX); size > 0; size -= 1) {
    const key = `${seed} ${size}`;
    const repeats = again && past.length > 0 && draw.below(6) === 0;
    if (seed % 2 === 0) batch.push(wild(draw, key, [...past, ...batch]));
    else batch.push(repeats ? draw.one(past) : sound(draw, key));
  }
  return batch;
}

/** The rows that a transaction has written, without times and ids; transfers in the order of their ids. */
async function traces(tx: Tx): Promise<unknown> {
  const { rows } = await sql`
    select (select jsonb_agg(to_jsonb(a) - 'opened_at' - 'closed_at' order by a.account_id) from ledger.account a) as accounts,
      (select jsonb_agg((to_jsonb(t) - 'transfer_id' - 'created_at' - 'xact' - 'event_at') || jsonb_build_object(
          'event', case when t.event_at <> t.created_at then t.event_at end,
          'entries', (select jsonb_agg((to_jsonb(e) - 'transfer_id' - 'created_at') || jsonb_build_object('dated', e.created_at = t.created_at) order by e.account_id, e.version)
            from ledger.entry e where e.transfer_id = t.transfer_id)) order by t.transfer_id)
        from ledger.transfer t where t.xact = pg_current_xact_id()::text::bigint) as transfers`.execute(tx);
  return rows[0];
}

interface Run {
  readonly outcomes: readonly PostOutcome[];
  readonly traces: unknown;
}

const UNDO = new Error('undo');

/** Posts in a transaction that is then committed or rolled back. */
async function run(keep: boolean, post: (tx: Tx) => Promise<readonly PostOutcome[]>): Promise<Run> {
  let result: Run | undefined;
  const done = ledger.within(async (tx) => {
    result = { outcomes: await post(tx), traces: await traces(tx) };
    if (!keep) throw UNDO;
  });
  await done.catch((error: unknown) => {
    if (error !== UNDO) throw error;
  });
  if (result === undefined) throw new Error('nothing was posted');
  return result;
}

async function singles(tx: Tx, batch: readonly TransferRequest[]): Promise<readonly PostOutcome[]> {
  const outcomes: PostOutcome[] = [];
  for (const request of batch) outcomes.push(await postTransfer(tx, request));
  return outcomes;
}

/** Outcomes in a form that both ways share: a new id is replaced by the first item that has it. */
function comparable(outcomes: readonly PostOutcome[]): readonly unknown[] {
  const fresh = new Map(
    outcomes.flatMap((outcome, item) => (outcome.ok && !outcome.replayed ? [[outcome.transferId, item]] : [])),
  );
  return outcomes.map((outcome) =>
    outcome.ok ? { replayed: outcome.replayed, of: fresh.get(outcome.transferId) ?? outcome.transferId } : outcome,
  );
}

test(`${SEEDS.length} random batches give the same answers and rows as their requests one by one`, async () => {
  const kinds = new Map<string, number>();
  for (const seed of SEEDS) {
    const batch = drawBatch(seed);
    const keepsBatch = seed % 3 === 0;
    const [one, other] = [
      await run(false, (tx) => (keepsBatch ? singles(tx, batch) : postBatch(tx, batch))),
      await run(true, (tx) => (keepsBatch ? postBatch(tx, batch) : singles(tx, batch))),
    ];
    assert.deepEqual(comparable(one.outcomes), comparable(other.outcomes), `seed ${seed}`);
    assert.deepEqual(one.traces, other.traces, `seed ${seed}`);
    const answers = other.outcomes.map((outcome) => (outcome.ok ? `ok ${outcome.replayed}` : outcome.reason));
    const isWhole = !answers.some((answer) => answer !== 'ok false');
    for (const answer of isWhole ? [...answers, 'whole'] : answers) kinds.set(answer, (kinds.get(answer) ?? 0) + 1);
    past.push(...batch);
  }
  if (SEEDS.length === 1) return;
  const wanted = [
    'whole',
    'ok false',
    'ok true',
    'insufficient_funds',
    'account_closed',
    'no_such_account',
    'amount_out_of_range',
    'same_account',
    'key_reused',
    'agents_never_pay_agents',
    'malformed',
  ];
  assert.deepEqual(
    wanted.filter((kind) => (kinds.get(kind) ?? 0) < SEEDS.length / 10),
    [],
    `every kind occurred often: ${JSON.stringify([...kinds])}`,
  );
});
