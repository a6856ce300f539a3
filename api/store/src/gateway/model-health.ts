import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';

export type ModelHealthRow = Row<'model_health'>;

/** A model by its name in the village, at the provider that was asked. */
export type ModelAt = Pick<ModelHealthRow, 'provider' | 'model'>;

export async function noteModelSuccess(db: Db, { provider, model }: ModelAt): Promise<void> {
  const succeeded_at = sql<Date>`clock_timestamp()`;
  await db
    .insertInto('model_health')
    .values({ provider, model, succeeded_at })
    .onConflict((conflict) => conflict.columns(['provider', 'model']).doUpdateSet({ succeeded_at }))
    .execute();
}

/** `message`: words of the provider without text of an agent or model; null if they may quote it. */
export async function noteModelFailure(
  db: Db,
  { provider, model, code, message }: ModelAt & { readonly code: string; readonly message: string | null },
): Promise<void> {
  const failed = { failed_at: sql<Date>`clock_timestamp()`, code, message };
  await db
    .insertInto('model_health')
    .values({ provider, model, ...failed })
    .onConflict((conflict) => conflict.columns(['provider', 'model']).doUpdateSet(failed))
    .execute();
}

/** Maximum number of rows to read. A village has far fewer models. */
const MODELS_READ = 1_000;

export function readModelHealth(db: Db): Promise<readonly ModelHealthRow[]> {
  return db.selectFrom('model_health').select(COLUMNS.model_health).limit(MODELS_READ).execute();
}

/** Hours for which a test of a provider counts, and the number of tests that the API keeps. */
const TEST_HOURS = 24;
const TESTS_KEPT = 200;

/** A test of a provider that is not connected. `code` is null for a success; `ms` and `abilities` for older tests. */
interface ProviderTrial {
  readonly code: string | null;
  readonly ms: number | null;
  readonly abilities: unknown;
}

export async function noteTriedProvider(
  db: Db,
  address: Uint8Array,
  { code, ms, abilities }: ProviderTrial,
): Promise<void> {
  const found = abilities === null ? null : JSON.stringify(abilities);
  await sql`
    insert into tried_provider (address, code, ms, abilities) values (${address}, ${code}, ${ms}, ${found}::jsonb)
    on conflict (address) do update set code = excluded.code, ms = excluded.ms, abilities = excluded.abilities,
      at = clock_timestamp()`.execute(db);
  await sql`
    delete from tried_provider where at < clock_timestamp() - ${TEST_HOURS} * interval '1 hour'
      or address in (select address from tried_provider order by at desc offset ${TESTS_KEPT})`.execute(db);
}

/** The newest test of the last hours; null without one. */
export async function findTriedProvider(
  db: Db,
  address: Uint8Array,
): Promise<(ProviderTrial & { readonly at: Date }) | null> {
  const { rows } = await sql<ProviderTrial & { readonly at: Date }>`
    select code, ms, abilities, at from tried_provider
    where address = ${address} and at > clock_timestamp() - ${TEST_HOURS} * interval '1 hour'`.execute(db);
  return rows[0] ?? null;
}
