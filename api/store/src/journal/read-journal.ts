import { JOURNAL_SALT_REF, type JournalClaim, type JournalPayload } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** Maximum bytes of one page of a journal; one entry with its texts may be larger. */
const PAGE_MAX_BYTES = 4 << 20;
/** Number of events to search for the names of calls: more than the stages of a workflow that run at once. */
const NAMING_MAX = 100;

interface JournalPage {
  readonly entries: readonly { readonly seq: number; readonly run_id: string; readonly event: JournalClaim }[];
  readonly payloads: readonly JournalPayload[];
  /** The last place of this page; null on the last page. */
  readonly next: number | null;
}

interface EntryRow {
  readonly seq: number;
  readonly runId: string;
  readonly event: JournalClaim;
  readonly refs: readonly string[];
  readonly through: number;
}

/** A page of the journal of one life, with the texts to which it refers. */
export async function readJournalPage(
  db: Db,
  agentUid: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<JournalPage> {
  const { rows } = await sql<EntryRow>`
    select seq, run_id as "runId", event, refs, (sum(bytes + texts) over (order by seq))::float8 as through from (
      select *, coalesce((
        select sum(payload.bytes) from payload
        where payload.agent_uid = journal_entry.agent_uid and payload.ref = any (journal_entry.refs)), 0) as texts
      from journal_entry where agent_uid = ${agentUid} and seq > ${after} order by seq limit ${limit + 1}) as entry
    order by seq`.execute(db);
  const fitting = rows.filter(({ through }, index) => index === 0 || (index < limit && through <= PAGE_MAX_BYTES));
  const texts = await readTexts(db, agentUid, [JOURNAL_SALT_REF, ...fitting.flatMap(({ refs }) => refs)]);
  return {
    entries: fitting.map(({ seq, runId, event }) => ({ seq, run_id: runId, event })),
    payloads: texts,
    next: fitting.length < rows.length ? (fitting.at(-1)?.seq ?? null) : null,
  };
}

async function readTexts(db: Db, agentUid: string, refs: readonly string[]): Promise<readonly JournalPayload[]> {
  const rows = await db
    .selectFrom('payload')
    .select(['ref', 'text'])
    .where('agent_uid', '=', agentUid)
    .where('ref', '=', sql<string>`any(${[...new Set(refs)]}::text[])`)
    .where('text', 'is not', null)
    .execute();
  return rows.flatMap(({ ref, text }) => (text === null ? [] : [{ ref, text }]));
}

/** Maximum number of events of one run to search for the turns before a request. */
const CONTEXT_EVENTS_MAX = 2_000;

/**
 * The events that say what requests of a run contained up to the end of the one with this number, in their order: all summaries and
 * beginnings of contexts, and the newest requests, answers and results.
 */
export async function readContextClaims(db: Db, runId: string, ask: number): Promise<readonly JournalClaim[]> {
  const { rows } = await sql<{ readonly event: JournalClaim }>`
    with entry as (
      select seq, event, event ->> 'type' as type from journal_entry where run_id = ${runId}
        and seq <= coalesce((
          select max(seq) from journal_entry where run_id = ${runId}
            and event ->> 'type' in ('model_asked', 'model_answered', 'model_failed') and event ->> 'ask' = ${String(ask)}), 0))
    select event from (
      (select seq, event from entry where type in ('context_built', 'turns_compacted') order by seq desc limit ${CONTEXT_EVENTS_MAX})
      union all
      (select seq, event from entry where type in ('model_asked', 'model_answered', 'model_failed', 'tool_settled')
        order by seq desc limit ${CONTEXT_EVENTS_MAX})) as found
    order by seq`.execute(db);
  return rows.map(({ event }) => event);
}

/** A text by its reference; null if the texts before it have too many bytes. */
export interface ContextText {
  readonly text: string | null;
  readonly bytes: number;
}

/** The texts of one life by their references, read from the last one until they have 4 MiB; deleted ones are missing. */
export async function readContextTexts(
  db: Db,
  agentUid: string,
  refs: readonly string[],
): Promise<ReadonlyMap<string, ContextText>> {
  const { rows } = await sql<ContextText & { readonly ref: string }>`
    select ref, bytes, case when through <= ${PAGE_MAX_BYTES} then text end as text from (
      select ref, text, octet_length(text)::int as bytes, sum(octet_length(text)) over (order by place desc) as through
      from unnest(${[...new Set(refs)]}::text[]) with ordinality as wanted (ref, place)
      join payload using (ref)
      where agent_uid = ${agentUid} and text is not null) as found`.execute(db);
  return new Map(rows.map(({ ref, text, bytes }) => [ref, { text, bytes }]));
}

/** The newest stored answers of models and stages of workflows of a run, oldest first, which contain the names of its open calls. */
export async function readNamedCalls(tx: Tx, runId: string): Promise<readonly JournalClaim[]> {
  const { rows } = await sql<{ readonly event: JournalClaim }>`
    select event from journal_entry
    where run_id = ${runId} and event ->> 'type' in ('model_answered', 'stage_opened', 'calls_planned')
    order by seq desc limit ${NAMING_MAX}`.execute(tx);
  return rows.map(({ event }) => event).toReversed();
}

/** The calls that the API performed and whose events it recorded itself. */
export async function readWitnessedCalls(
  tx: Tx,
  runId: string,
  callIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (callIds.length === 0) return new Set();
  const { rows } = await sql<{ readonly callId: string }>`
    select call_id as "callId" from effect where run_id = ${runId} and call_id = any(${[...callIds]}::text[])`.execute(
    tx,
  );
  return new Set(rows.map(({ callId }) => callId));
}
