import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { asMoment } from '../ledger/moment.ts';
import type { Moment } from '../ledger/moment.ts';

/** A text that another one took the place of. */
export interface RevisionRow {
  readonly number: number;
  readonly title: string | null;
  readonly body: string;
  readonly tags: string[];
  readonly at: Moment;
}

/** The earlier texts of a post or reply, newest first. */
export async function readRevisions(tx: Tx, subject: string, limit: number): Promise<readonly RevisionRow[]> {
  const { rows } = await sql<RevisionRow>`
    select number, title, body, tags, ${asMoment(sql`at`)} as at from board.revision where subject = ${subject}::uuid order by number desc limit ${limit}`.execute(
    tx,
  );
  return rows;
}
