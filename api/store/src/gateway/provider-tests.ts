import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';

/** The newest test of a model of a provider in the configuration. `abilities` is unparsed. */
export type ProviderTestRow = Row<'provider_test'>;

/** Number of rows to keep; a configuration has at most 50 models that are tested. */
const TESTS_KEPT = 250;

export function readProviderTests(db: Db): Promise<readonly ProviderTestRow[]> {
  return db.selectFrom('provider_test').select(COLUMNS.provider_test).limit(TESTS_KEPT).execute();
}

/** Stores a test in place of an earlier one of the same model, and forgets the oldest of other configurations. */
export async function noteProviderTest(
  tx: Tx,
  { provider, model, abilities, ...test }: Omit<ProviderTestRow, 'at'>,
): Promise<void> {
  const found = abilities === null ? null : JSON.stringify(abilities);
  const values = { ...test, at: sql<Date>`clock_timestamp()`, abilities: found };
  await tx
    .insertInto('provider_test')
    .values({ provider, model, ...values })
    .onConflict((conflict) => conflict.columns(['provider', 'model']).doUpdateSet(values))
    .execute();
  await sql`
    delete from provider_test where (provider, model) in
      (select provider, model from provider_test order by at desc offset ${TESTS_KEPT})`.execute(tx);
}
