import { sql } from 'kysely';
import { asColumns } from '../connection/as-columns.ts';
import type { Db, Tx } from '../connection/database.ts';
import type { Row } from '../connection/tables.generated.ts';

type OidcAttempt = Omit<Row<'oidc_attempt'>, 'idHash' | 'expiresAt'>;

/** Stores the hash of a code that sets a password once; an earlier code becomes invalid. */
export async function keepAccountCode(
  tx: Tx,
  code: { readonly accountId: string; readonly codeHash: Uint8Array; readonly expiresAt: Date },
): Promise<void> {
  const values = { code_hash: Buffer.from(code.codeHash), expires_at: code.expiresAt };
  await tx
    .insertInto('account_code')
    .values({ account_id: code.accountId, ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ ...values, created_at: sql<Date>`now()` }))
    .execute();
}

export async function isAccountCode(db: Db, codeHash: Uint8Array): Promise<boolean> {
  const row = await db
    .selectFrom('account_code')
    .select('account_id')
    .where('code_hash', '=', Buffer.from(codeHash))
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes a code, so that it works once, and returns its account; null if the code is unknown or expired. */
export async function takeAccountCode(tx: Tx, codeHash: Uint8Array): Promise<string | null> {
  const row = await tx
    .deleteFrom('account_code')
    .where('code_hash', '=', Buffer.from(codeHash))
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('account_id as accountId')
    .executeTakeFirst();
  return row?.accountId ?? null;
}

export async function keepOidcAttempt(
  db: Db,
  idHash: Uint8Array,
  attempt: OidcAttempt & { readonly expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('oidc_attempt')
    .values({ id_hash: idHash, ...asColumns(attempt) })
    .execute();
}

/** Deletes and returns a sign-in attempt, so that it works once; null if it is unknown or expired. */
export async function takeOidcAttempt(db: Db, idHash: Uint8Array): Promise<OidcAttempt | null> {
  const row = await db
    .deleteFrom('oidc_attempt')
    .where('id_hash', '=', Buffer.from(idHash))
    .returning([
      'state',
      'nonce',
      'code_verifier as codeVerifier',
      'return_to as returnTo',
      sql<boolean>`expires_at > now()`.as('inTime'),
    ])
    .executeTakeFirst();
  if (row === undefined || !row.inTime) return null;
  const { inTime: _, ...attempt } = row;
  return attempt;
}

export async function forgetOneTimeSecrets(db: Db): Promise<void> {
  await db
    .deleteFrom('account_code')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute();
  await db
    .deleteFrom('oidc_attempt')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute();
}
