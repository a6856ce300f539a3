/**
 * Random sequences of operations on a real Postgres. Each answer is compared with a model in memory, and the ledger
 * with every rule of docs/ECONOMY.md.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases, seeds } from '@hamlet/test/env/seeded';
import { sql } from 'kysely';
import { LEDGER_REFUSALS } from './refusal.ts';
import { openWithFewTrips } from './testing/few-trips.ts';
import { RandomSequence, type SequenceAccounts } from './testing/random-sequence.ts';
import { testLedger } from './testing/test-ledger.ts';

const SEEDS = seeds(cases(20, 10_000));
const LENGTH = 100;
const AT_ONCE = 4;
/** Sequences whose accounts one statement opens, within its time limit on a busy machine. */
const OPENED_AT_ONCE = 200;
/** Answers that must occur in the sequences. The size of a batch, a malformed key and the end of a hold have their own tests. */
const KINDS: ReadonlySet<string> = new Set([
  'done',
  'replayed',
  ...Object.values(LEDGER_REFUSALS).filter((reason) => !['batch_too_large', 'malformed'].includes(reason)),
]);

const { postgres, owner } = await testLedger(1);

async function openAccounts(seeds: readonly number[]): Promise<ReadonlyMap<number, SequenceAccounts>> {
  const { rows } = await sql<SequenceAccounts & { seed: number }>`
    select seed, ledger.open_account('bank', seed::text, 1, true) as bank, ledger.open_account('pot', seed::text, 1, false) as pot
    from unnest(${seeds as number[]}::integer[]) seed`.execute(owner);
  return new Map(rows.map(({ seed, bank, pot }) => [seed, { bank, pot }]));
}

test(`${SEEDS.length} random sequences of ${LENGTH} operations get the answers of the model`, async () => {
  const accounts = new Map<number, SequenceAccounts>();
  for (let from = 0; from < SEEDS.length; from += OPENED_AT_ONCE)
    for (const [seed, own] of await openAccounts(SEEDS.slice(from, from + OPENED_AT_ONCE))) accounts.set(seed, own);
  const waiting = SEEDS.values();
  const seen = new Map<string, number>();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const db = openWithFewTrips(postgres.appUrl);
      for (const seed of waiting) {
        const own = accounts.get(seed);
        assert.ok(own !== undefined);
        const sequence = new RandomSequence(db, seed);
        await sequence.run(own, LENGTH);
        for (const [kind, count] of sequence.seen) seen.set(kind, (seen.get(kind) ?? 0) + count);
      }
      await db.destroy();
    }),
  );
  if (SEEDS.length === 1) return;
  const never = [...KINDS].filter((kind) => (seen.get(kind) ?? 0) < SEEDS.length / 50);
  assert.deepEqual(never, [], `every kind of answer occurred often: ${JSON.stringify([...seen])}`);
});
