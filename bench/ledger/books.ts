import { inTransaction, openDatabase, postBatch, type Db, type TransferRequest } from '@hamlet/store';
import { sql, type RawBuilder } from 'kysely';

/**
 * Accounts of the bench in our ledger. The accounts of the series have the numbers after `base`; the others are single
 * accounts.
 */
export interface Books {
  readonly base: number;
  readonly unsharded: number;
  readonly long: number;
}

const FUND_MICRO = 1_000_000_000n;
const AT_ONCE = 2_000;
const MILLION = 1_000_000;
const LONG_BATCH = 2_000;

function request(payer: number, payee: number, key: string): TransferRequest {
  return {
    payer,
    payee,
    amount: 1n,
    key,
    reason: 'adjustment',
    source: 'bench',
    note: '',
    actor: { role: 'system', id: 'bench' },
  };
}

/**
 * Opens as many accounts as the peer has, with the same money in each; only the hot account without shards may have a
 * negative balance.
 */
export async function openBooks(owner: Db, accounts: number): Promise<Books> {
  const open = async (book: string, mayOverdraw: boolean): Promise<number> => {
    const { rows } = await sql<{
      id: number;
    }>`select ledger.open_account(${book}, '', 1, ${mayOverdraw}) as id`.execute(owner);
    return rows[0]?.id ?? 0;
  };
  const [unsharded, long] = [await open('bench_hot', true), await open('bench_long', true)];
  const { rows } = await sql<{
    id: number;
  }>`select ledger.open_account('bench', i::text, 1, false) as id from generate_series(1, ${accounts}) i`.execute(
    owner,
  );
  const ids = rows.map(({ id }) => id);
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const batch = ids
      .slice(from, from + AT_ONCE)
      .map((id) => ({ ...request(unsharded, id, `fund ${id}`), amount: FUND_MICRO }));
    await inTransaction(owner, (tx) => postBatch(tx, batch));
  }
  return { base: Math.max(...ids) / -64 - 1, unsharded, long };
}

const BATCHES = 16;

/**
 * Texts of batches as a client sends them, an array for each column, from the treasury to random accounts. A statement
 * replaces `#` with a random text, so that its keys are unique.
 */
export async function writeBatches(owner: Db, { base }: Books, size: number): Promise<void> {
  await sql`
    create table public.bench_batch (number int primary key, payer text, payee text, amount text, key text, reason text, source text, note text,
      actor_role text, actor_id text)`.execute(owner);
  for (const column of ['payer', 'payee', 'key'])
    await sql`alter table public.bench_batch alter column ${sql.id(column)} set storage external`.execute(owner);
  const same = (value: string): RawBuilder<string> => sql`array_agg(${sql.lit(value)}::text)::text`;
  await sql`
    insert into public.bench_batch
    select number, array_agg(treasury.id)::text, array_agg(-64 * (${base}::bigint + 1 + (random() * 9999)::int))::text, ${same('1')}, array_agg('#-' || item)::text,
      ${same('reward')}, ${same('bench')}, ${same('')}, ${same('system')}, ${same('bench')}
    from generate_series(1, ${BATCHES}) number, generate_series(1, ${size}) item, (select ledger.village_account('treasury') as id offset 0) treasury
    group by number`.execute(owner);
}

/** Fills an account to a million entries. */
export async function fillLongAccount(url: string, { long, unsharded }: Books): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, onError: () => undefined });
  for (let done = 0; done < MILLION; done += LONG_BATCH) {
    const batch = Array.from({ length: LONG_BATCH }, (_, index) => request(unsharded, long, `long ${done + index}`));
    await inTransaction(db, (tx) => postBatch(tx, batch));
  }
  await db.destroy();
}
