import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';

/** The newest report of a run, by the clock of the database. */
export interface ReportMark {
  readonly now: Date;
  /** Null if the run has no report yet. */
  readonly messageId: string | null;
  readonly reportedAt: Date | null;
  readonly reportedSteps: number;
}

export async function readReportMark(tx: Tx, runId: string): Promise<ReportMark> {
  const { rows } = await sql<ReportMark>`
    select clock_timestamp() as now, message_id as "messageId", coalesce(revised_at, at) as "reportedAt", coalesce(steps, 0) as "reportedSteps"
    from (values (1)) as one (row) left join session_message on run_id = ${runId} and progress and forgotten_at is null`.execute(
    tx,
  );
  const [mark] = rows;
  if (mark === undefined) throw new Error('the database returned no time');
  return mark;
}

/** Replaces the text of a report. The session's streams send the new version. */
export async function replaceReport(
  tx: Tx,
  messageId: string,
  { text, steps }: { readonly text: string; readonly steps: number },
): Promise<void> {
  await tx
    .updateTable('session_message')
    .set({ text, steps, version: sql<number>`version + 1`, revised_at: sql<Date>`clock_timestamp()` })
    .where('message_id', '=', messageId)
    .execute();
}

/** Pairs of tool and outcome in a report. */
const TOTALS_MAX = 200;

/** Settled calls of a run with one tool and one outcome. */
export interface CallTotal {
  readonly tool: string;
  readonly outcome: string;
  readonly calls: number;
}

/** The settled calls of a run by tool and outcome, the most frequent first, at most 200. */
export async function readCallTotals(tx: Tx, runId: string): Promise<readonly CallTotal[]> {
  const { rows } = await sql<CallTotal>`
    select coalesce(detail ->> 'tool', 'a tool') as tool, coalesce(detail ->> 'outcome', 'ok') as outcome, count(*)::integer as calls
    from run_event where run_id = ${runId} and event = 'call_settled'
    group by 1, 2 order by 3 desc, 1, 2 limit ${TOTALS_MAX}`.execute(tx);
  return rows;
}
