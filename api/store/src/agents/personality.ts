import { type Selection, sql } from 'kysely';
import { asColumns } from '../connection/as-columns.ts';
import { type Db, lockName, type Tx } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';

const COLUMNS = ['version', 'text', 'reason', 'restores', 'by_role as byRole', 'by_id as byId', 'at'] as const;
export type PersonalityRow = Readonly<Selection<Tables, 'personality', (typeof COLUMNS)[number]>>;

/** The versions of a life's amended personality, newest first. */
export function readPersonality(db: Db, agentUid: string, limit: number): Promise<readonly PersonalityRow[]> {
  return db
    .selectFrom('personality')
    .select(COLUMNS)
    .where('agent_uid', '=', agentUid)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute();
}

export async function findPersonality(db: Db, agentUid: string, version: number): Promise<PersonalityRow | null> {
  const row = await db
    .selectFrom('personality')
    .select(COLUMNS)
    .where('agent_uid', '=', agentUid)
    .where('version', '=', version)
    .executeTakeFirst();
  return row ?? null;
}

/** Number of versions of a life in the last 24 hours. Locks the personality: call it before an insert. */
export async function lockPersonality(tx: Tx, agentUid: string): Promise<number> {
  await lockName(tx, `personality ${agentUid}`);
  const { count } = await tx
    .selectFrom('personality')
    .select((expression) => expression.fn.countAll<number>().as('count'))
    .where('agent_uid', '=', agentUid)
    .where('at', '>', sql<Date>`clock_timestamp() - interval '24 hours'`)
    .executeTakeFirstOrThrow();
  return count;
}

export interface NewPersonality {
  readonly agentUid: string;
  readonly agentId: string;
  readonly text: string;
  readonly reason: string;
  readonly restores: number | null;
  readonly by: { readonly role: string; readonly id: string };
}

/** Inserts the next version. The caller has locked the personality. */
export async function insertPersonality(tx: Tx, { by, ...made }: NewPersonality): Promise<PersonalityRow> {
  const [newest] = await readPersonality(tx, made.agentUid, 1);
  return tx
    .insertInto('personality')
    .values({ ...asColumns(made), version: (newest?.version ?? 0) + 1, by_role: by.role, by_id: by.id })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}
