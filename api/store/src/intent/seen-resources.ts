import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** The kinds whose intent people and GitOps write. */
export type IntentKind = 'Agent' | 'Entitlement' | 'Schedule';

/** Up to which generation the audit knows a life of a custom resource. */
export interface SeenResource {
  readonly uid: string;
  readonly kind: IntentKind;
  readonly name: string;
  readonly generation: number;
  /** A digest of each field of the spec, of `fieldsGeneration`. */
  readonly fields: Readonly<Record<string, string>>;
  readonly fieldsGeneration: number;
  readonly goneAt: Date | null;
}

const COLUMNS = ['uid', 'kind', 'name', 'generation', 'fields', 'fields_generation as fieldsGeneration', 'gone_at as goneAt'] as const;

/**
 * Holds every other writer and auditor of a custom resource back until the transaction ends. Before the lock of accounts and after that of the
 * idempotency key: a transaction holds one resource at most.
 */
export async function holdResource(tx: Tx, kind: IntentKind, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`resource ${kind}/${name}`}, 0))`.execute(tx);
}

/** Lives that are not known to have ended. */
export async function readPresentResources(db: Db): Promise<readonly SeenResource[]> {
  const rows = await db.selectFrom('resource_seen').select(COLUMNS).where('gone_at', 'is', null).execute();
  return rows.map(seenOf);
}

export async function findSeenResource(tx: Tx, uid: string): Promise<SeenResource | null> {
  const row = await tx.selectFrom('resource_seen').select(COLUMNS).where('uid', '=', uid).executeTakeFirst();
  return row === undefined ? null : seenOf(row);
}

/** Notes that the audit has what made a resource be of this generation. Where the api itself wrote, the fields are left to the watch. */
export async function noteResource(tx: Tx, seen: { readonly uid: string; readonly kind: IntentKind; readonly name: string; readonly generation: number }, fields?: Readonly<Record<string, string>>): Promise<void> {
  const { uid, kind, name, generation } = seen;
  const digests = fields === undefined ? {} : { fields: JSON.stringify(fields), fields_generation: generation };
  await tx
    .insertInto('resource_seen')
    .values({ uid, kind, name, generation, fields: '{}', fields_generation: 0, ...digests })
    .onConflict((conflict) => conflict.column('uid').doUpdateSet({ generation: sql<number>`greatest(resource_seen.generation, excluded.generation)`, ...digests }))
    .execute();
}

/** Notes that a life has ended. Returns whether that is news. */
export async function noteResourceGone(tx: Tx, uid: string): Promise<boolean> {
  const rows = await tx.updateTable('resource_seen').set({ gone_at: sql<Date>`now()` }).where('uid', '=', uid).where('gone_at', 'is', null).returning('uid').execute();
  return rows.length > 0;
}

function seenOf(row: Omit<SeenResource, 'fields'> & { readonly fields: unknown }): SeenResource {
  return { ...row, fields: row.fields as Readonly<Record<string, string>> };
}
