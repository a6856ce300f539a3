import type { JournalClaim } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db } from '../../connection/database.ts';

/** The opening of a run, and a beginning and an end of each of the at most 1,000 stages of a plan. */
const CLAIMS_MAX = 2_001;

/**
 * The events that show the workflow of a run, from its copied journal: its opening, and the newest beginning and end of each stage. Stages
 * are in the order of their first beginnings, the events of a stage in the order of the journal.
 */
export async function readFlowClaims(db: Db, runId: string): Promise<readonly JournalClaim[]> {
  const { rows } = await sql<{ readonly event: JournalClaim }>`
    select event from (
      select event, seq, row_number() over (partition by event ->> 'stage', event ->> 'type' order by seq desc) as age,
        min(seq) over (partition by event ->> 'stage') as begun
      from journal_entry where run_id = ${runId} and event ->> 'type' in ('run_opened', 'stage_opened', 'stage_closed')) as found
    where age = 1 order by begun, seq limit ${CLAIMS_MAX}`.execute(db);
  return rows.map(({ event }) => event);
}
