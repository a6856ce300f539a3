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
  /** Generations beyond it that the api wrote itself, and has a line of. */
  readonly ownGenerations: readonly number[];
  /** A digest of each field of the spec, of `fieldsGeneration`. */
  readonly fields: Readonly<Record<string, string>>;
  readonly fieldsGeneration: number;
  readonly goneAt: Date | null;
}

const COLUMNS = [
  'uid',
  'kind',
  'name',
  'generation',
  'own_generations as ownGenerations',
  'fields',
  'fields_generation as fieldsGeneration',
  'gone_at as goneAt',
] as const;

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

/** A generation of a life of a custom resource. */
export interface ResourceGeneration {
  readonly uid: string;
  readonly kind: IntentKind;
  readonly name: string;
  readonly generation: number;
}

/** Notes that a generation was written by the api itself and has its line. What others wrote before it may still be on its way: it is not skipped. */
export async function noteResource(tx: Tx, { uid, kind, name, generation }: ResourceGeneration): Promise<void> {
  const isNext = generation === 1;
  const next = sql<boolean>`resource_seen.generation = ${generation}::bigint - 1`;
  await tx
    .insertInto('resource_seen')
    .values({
      uid,
      kind,
      name,
      generation: isNext ? 1 : 0,
      own_generations: isNext ? [] : [generation],
      fields: '{}',
      fields_generation: 0,
    })
    .onConflict((conflict) =>
      conflict.column('uid').doUpdateSet({
        generation: sql<number>`case when ${next} then ${generation}::bigint else resource_seen.generation end`,
        own_generations: sql<
          number[]
        >`case when ${next} then resource_seen.own_generations else resource_seen.own_generations || ${generation}::bigint end`,
      }),
    )
    .execute();
}

/** Notes that the audit has every change up to a generation, whose fields these are. */
export async function noteResourceSeen(
  tx: Tx,
  { uid, kind, name, generation }: ResourceGeneration,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const seen = { generation, fields: JSON.stringify(fields), fields_generation: generation };
  await tx
    .insertInto('resource_seen')
    .values({ uid, kind, name, ...seen })
    .onConflict((conflict) =>
      conflict.column('uid').doUpdateSet({
        ...seen,
        own_generations: sql<
          number[]
        >`array(select g from unnest(resource_seen.own_generations) g where g > ${generation})`,
      }),
    )
    .execute();
}

/** Notes that a life has ended. Returns whether that is news. */
export async function noteResourceGone(tx: Tx, uid: string): Promise<boolean> {
  const rows = await tx
    .updateTable('resource_seen')
    .set({ gone_at: sql<Date>`now()` })
    .where('uid', '=', uid)
    .where('gone_at', 'is', null)
    .returning('uid')
    .execute();
  return rows.length > 0;
}

function seenOf(row: Omit<SeenResource, 'fields'> & { readonly fields: unknown }): SeenResource {
  // Elements of an array of int8 come as text.
  return {
    ...row,
    ownGenerations: row.ownGenerations.map(Number),
    fields: row.fields as Readonly<Record<string, string>>,
  };
}
