import type { MessageState } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { COLUMNS } from '../connection/tables.generated.ts';
import type { MessageRow } from './session-row.ts';

/** The newest report of a run, with times of the database's clock. */
export interface ReportMark {
  readonly now: Date;
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

const TOTALS_MAX = 200;

interface CallTotal {
  readonly tool: string;
  readonly outcome: string;
  readonly calls: number;
}

export async function readCallTotals(tx: Tx, runId: string): Promise<readonly CallTotal[]> {
  const { rows } = await sql<CallTotal>`
    select coalesce(detail ->> 'tool', 'a tool') as tool, coalesce(detail ->> 'outcome', 'ok') as outcome, count(*)::integer as calls
    from run_event where run_id = ${runId} and event = 'call_settled'
    group by 1, 2 order by 3 desc, 1, 2 limit ${TOTALS_MAX}`.execute(tx);
  return rows;
}

interface NewMessage {
  readonly sessionId: string;
  readonly author: {
    readonly role: 'member' | 'admin' | 'agent' | 'system';
    readonly id: string;
    readonly name: string;
  };
  readonly text: string;
  /** Null for an answer to a question of a run, which belongs to an earlier message. */
  readonly runId: string | null;
  readonly state: MessageState;
  readonly inReplyTo: string | null;
  readonly cost: { readonly micros: number; readonly steps: number } | null;
  readonly progress?: { readonly steps: number };
}

/**
 * Adds a message at the end of a transcript. The row of the session stays locked until the transaction ends, so numbers
 * have no gap.
 * @param title for a session without one
 */
export async function insertMessage(tx: Tx, message: NewMessage, title: string | null): Promise<MessageRow> {
  const { sessionId, author, text, runId, state, inReplyTo, cost, progress } = message;
  const { number } = await tx
    .updateTable('session')
    .set({
      messages: sql<number>`messages + 1`,
      last_at: sql<Date>`clock_timestamp()`,
      ...(title === null ? {} : { title: sql<string>`coalesce(title, ${title})` }),
    })
    .where('session_id', '=', sessionId)
    .returning('messages as number')
    .executeTakeFirstOrThrow();
  return tx
    .insertInto('session_message')
    .values({
      session_id: sessionId,
      number,
      author_role: author.role,
      author_id: author.id,
      author_name: author.name,
      text,
      run_id: runId,
      state,
      in_reply_to: inReplyTo,
      cost_micros: cost?.micros ?? null,
      steps: cost?.steps ?? progress?.steps ?? null,
      progress: progress !== undefined,
    })
    .returning(COLUMNS.session_message)
    .executeTakeFirstOrThrow();
}

/** The message from which a run was created; null for any other run. */
export async function findMessageOfRun(tx: Tx, runId: string): Promise<MessageRow | null> {
  const row = await tx
    .selectFrom('session_message')
    .select(COLUMNS.session_message)
    .where('run_id', '=', runId)
    .where('author_role', 'in', ['member', 'admin'])
    .executeTakeFirst();
  return row ?? null;
}

/** The run of the message that the agent works on; null if there is none. */
export async function findWorkingRun(db: Db, sessionId: string): Promise<string | null> {
  const row = await db
    .selectFrom('session_message')
    .select('run_id as runId')
    .where('session_id', '=', sessionId)
    .where('state', '=', 'working')
    .executeTakeFirst();
  return row?.runId ?? null;
}

export async function setMessageState(tx: Tx, messageId: string, state: MessageState): Promise<void> {
  await tx.updateTable('session_message').set({ state }).where('message_id', '=', messageId).execute();
}

/** The reason why an agent may not start its run of a message now; null if it may. */
export async function refuseSessionTurn(
  tx: Tx,
  runId: string,
  agentId: string,
): Promise<'session_paused' | 'earlier_message_open' | null> {
  const row = await tx
    .selectFrom('session_message as mine')
    .innerJoin('session', 'session.session_id', 'mine.session_id')
    .select([
      sql<boolean>`session.paused_at is not null`.as('paused'),
      sql<boolean>`exists (
        select from session_message earlier
        where earlier.session_id = mine.session_id and earlier.state in ('queued', 'working')
          and earlier.number < mine.number)`.as('later'),
    ])
    .where('mine.run_id', '=', runId)
    .where('mine.author_role', 'in', ['member', 'admin'])
    .where('mine.state', '=', 'queued')
    .where('session.agent_id', '=', agentId)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.later) return 'earlier_message_open';
  return row.paused ? 'session_paused' : null;
}
