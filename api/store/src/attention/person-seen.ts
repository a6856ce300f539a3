import { AWAY_DAYS_MAX } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

const FORGOTTEN_AT_ONCE = 5_000;

interface Look {
  /** Null before the first look. At most AWAY_DAYS_MAX days ago. */
  readonly since: Date | null;
  readonly now: Date;
}

/** The last look of a person at the village. */
export async function readLook(db: Db, personId: string): Promise<Look> {
  const { rows } = await sql<Look>`
    select now() as now, greatest(max(seen_at), case when max(seen_at) is not null then now() - make_interval(days => ${AWAY_DAYS_MAX}) end) as since
    from person_seen where person_id = ${personId} and thing = 'village'`.execute(db);
  return rows[0] ?? { since: null, now: new Date(0) };
}

interface Marks {
  readonly personId: string;
  readonly things: readonly string[];
  /** Null for the present time. */
  readonly until: Date | null;
}

/**
 * Marks things as seen until a time, never back in time. The first look at the village also reads the board and all
 * sessions. Leaves out posts and sessions that the person may not read: the transaction needs a viewer of the board.
 * Returns the time.
 */
export async function markThingsSeen(tx: Tx, { personId, things, until }: Marks): Promise<Date> {
  const { rows } = await sql<{ until: Date }>`
    select date_trunc('milliseconds', least(coalesce(${until}::timestamptz, now()), now())) as until`.execute(tx);
  const at = rows[0]?.until ?? new Date(0);
  const idsOf = (kind: string): readonly string[] =>
    things.flatMap((thing) => (thing.startsWith(`${kind}/`) ? [thing.slice(kind.length + 1)] : []));
  await sql`
    insert into person_seen (person_id, thing, seen_at)
    select ${personId}, thing, ${at} from (
      select thing from unnest(${things.filter((thing) => !thing.includes('/'))}::text[]) thing
      union select 'post/' || post_id from board.post where post_id = any(${idsOf('post')}::uuid[])
      union select 'session/' || session_id from session_person
        where person_id = ${personId} and session_id = any(${idsOf('session')}::uuid[])) found
    order by thing
    on conflict (person_id, thing) do update set seen_at = excluded.seen_at where person_seen.seen_at < excluded.seen_at`.execute(
    tx,
  );
  if (things.includes('village'))
    await sql`
      insert into person_seen (person_id, thing, seen_at)
      select ${personId}, thing, ${at} from unnest(array['board', 'sessions']) thing on conflict do nothing`.execute(
      tx,
    );
  return at;
}

/** Deletes marks of posts and sessions so old that everything before them counts as read. Returns their number. */
export async function forgetMarks(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from person_seen where (person_id, thing) in (
      select person_id, thing from person_seen
      where thing like '%/%' and seen_at < now() - make_interval(days => ${AWAY_DAYS_MAX}) limit ${FORGOTTEN_AT_ONCE})`.execute(
    db,
  );
  return Number(numAffectedRows);
}
