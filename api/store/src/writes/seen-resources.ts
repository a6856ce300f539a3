import { sql } from 'kysely';
import { type Db, lockName, type Tx } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';

/** Kinds of custom resources whose spec people and GitOps tools write. */
export type IntentKind = Row<'resource_seen'>['kind'];

type Raw = Row<'resource_seen'>;

/** The recorded changes of one object. `ownGenerations`: generations after `generation` that the API itself wrote. */
export interface SeenResource extends Raw {
  /** Digests of the fields of the spec in the generation `fieldsGeneration`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Lock order: idempotency key, resource, accounts. A transaction locks at most one resource. */
export async function lockResource(tx: Tx, kind: IntentKind, name: string): Promise<void> {
  await lockName(tx, `resource ${kind}/${name}`);
}

export async function readPresentResources(db: Db): Promise<readonly SeenResource[]> {
  const rows = await db
    .selectFrom('resource_seen')
    .select(COLUMNS.resource_seen)
    .where('gone_at', 'is', null)
    .execute();
  return rows.map(seenOf);
}

export async function findSeenResource(tx: Tx, uid: string): Promise<SeenResource | null> {
  const row = await tx
    .selectFrom('resource_seen')
    .select(COLUMNS.resource_seen)
    .where('uid', '=', uid)
    .executeTakeFirst();
  return row === undefined ? null : seenOf(row);
}

/** The uid of the newest recorded object with a name, present or deleted; null if there was none. */
export async function findResourceUid(tx: Tx, kind: IntentKind, name: string): Promise<string | null> {
  const row = await tx
    .selectFrom('resource_seen')
    .select('uid')
    .where('kind', '=', kind)
    .where('name', '=', name)
    .orderBy(sql`coalesce(gone_at, 'infinity')`, 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.uid ?? null;
}

/** True if all recorded objects with this name were deleted. */
export async function isResourceGone(tx: Tx, kind: IntentKind, name: string): Promise<boolean> {
  const row = await tx
    .selectFrom('resource_seen')
    .select(sql<boolean | null>`bool_and(gone_at is not null)`.as('gone'))
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.gone === true;
}

type ResourceGeneration = Pick<Row<'resource_seen'>, 'uid' | 'kind' | 'name' | 'generation'>;

/** Records a generation that the API itself wrote. The watch may still report earlier generations by other writers. */
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

/** Records a deletion; false if it was already recorded. */
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

function seenOf(row: Raw): SeenResource {
  // The driver returns the elements of an int8 array as text.
  return {
    ...row,
    ownGenerations: row.ownGenerations.map(Number),
    fields: row.fields as Readonly<Record<string, string>>,
  };
}
