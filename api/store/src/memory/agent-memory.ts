import {
  SHOWN_MEMORIES_MAX,
  type MemoryKind,
  type MemoryTotals,
  type MindState,
  type SyncedMemory,
} from '@hamlet/contract';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { asMoment, cutPage, firstRow, type Moment, type Page } from '../connection/result-rows.ts';

/** A memory of an agent as the API shows it. */
export interface AgentMemoryRow {
  readonly memoryId: string;
  readonly kind: MemoryKind;
  readonly text: string;
  readonly about: string | null;
  readonly speaker: string | null;
  /** Ids of people; null for everybody. */
  readonly audience: readonly string[] | null;
  readonly pinned: boolean;
  readonly dormant: boolean;
  readonly outside: boolean;
  readonly corrected: boolean;
  readonly importance: number;
  readonly uses: number;
  readonly usedAt: Date | null;
  readonly since: Date;
  readonly until: Date | null;
  readonly replaces: string | null;
  readonly runId: string | null;
  readonly sessionId: string | null;
  readonly repository: string | null;
  readonly waiting: boolean;
}

/** A person: memories for everybody and those with the person in their audience. Null: all memories. */
export type MemoryReader = string | null;

/** A command that its agent has not applied; the words of a correction may be forgotten before. */
const IS_OPEN = sql`c.number > s.applied and (c.op <> 'correct' or c.text is not null)`;

const COLUMNS_OF_MEMORY = sql`
  m.memory_id as "memoryId", m.kind, m.text, m.about, m.speaker, m.audience, m.pinned, m.dormant,
  m.outside or exists (
    select from memory_taint t where t.agent_uid = m.agent_uid and t.memory_id = m.memory_id) as outside, m.corrected,
  m.importance, m.uses, m.used_at as "usedAt", m.since, m.until, m.replaces, m.run_id as "runId", m.session_id as "sessionId",
  m.repository,
  exists (
    select from agent_memory_command c join agent_memory_state s using (agent_uid)
    where c.agent_uid = m.agent_uid and ${IS_OPEN} and m.memory_id in (c.memory_id, c.new_id)) as waiting`;

const readableBy = (reader: MemoryReader): RawBuilder<unknown> =>
  sql`(${reader}::text is null or m.audience is null or m.audience @> array[${reader}::text])`;

export interface MemoryPlace {
  readonly since: Moment;
  readonly memoryId: string;
}

interface MemoryFilter {
  readonly agentUid: string;
  readonly reader: MemoryReader;
  readonly kind: MemoryKind | null;
  /** Only this memory and those that it replaced. */
  readonly historyOf: string | null;
  readonly runId: string | null;
}

/** A page of memories, newest first. */
export async function readAgentMemory(
  db: Db,
  { agentUid, reader, kind, historyOf, runId }: MemoryFilter,
  { before, limit }: { readonly before: MemoryPlace | null; readonly limit: number },
): Promise<Page<AgentMemoryRow, MemoryPlace>> {
  const { rows } = await sql<AgentMemoryRow & { readonly place: Moment }>`
    with recursive history as (
      select memory_id, replaces from agent_memory where agent_uid = ${agentUid} and memory_id = ${historyOf}
      union
      select older.memory_id, older.replaces from agent_memory older join history on older.memory_id = history.replaces
      where older.agent_uid = ${agentUid}
    )
    select ${COLUMNS_OF_MEMORY}, ${asMoment(sql`m.since`)} as place from agent_memory m
    where m.agent_uid = ${agentUid} and ${readableBy(reader)} and (${kind}::text is null or m.kind = ${kind})
      and (${historyOf}::text is null or m.memory_id in (select memory_id from history))
      and (${runId}::uuid is null or m.run_id = ${runId})
      and (${before?.since ?? null}::timestamptz is null
        or (m.since, m.memory_id) < (${before?.since ?? null}::timestamptz, ${before?.memoryId ?? null}::text))
    order by m.since desc, m.memory_id desc limit ${limit + 1}`.execute(db);
  return cutPage(rows, limit, ({ place, memoryId }) => ({ since: place, memoryId }));
}

export interface MatchedMemory {
  readonly row: AgentMemoryRow;
  /** Rank of the matched words; the best match has the greatest. */
  readonly rank: number;
}

const MATCHES_MAX = 200;

/** Memories that share a word with a query, those with the greatest rank first, at most 200. */
export async function matchAgentMemory(
  db: Db,
  { agentUid, reader, query }: { readonly agentUid: string; readonly reader: MemoryReader; readonly query: string },
): Promise<readonly MatchedMemory[]> {
  const { rows } = await sql<AgentMemoryRow & { readonly rank: number }>`
    with asked as (select replace(plainto_tsquery('english'::regconfig, ${query})::text, '&', '|')::tsquery as words)
    select ${COLUMNS_OF_MEMORY}, ts_rank(m.words, asked.words)::double precision as rank
    from agent_memory m, asked
    where m.agent_uid = ${agentUid} and ${readableBy(reader)} and m.words @@ asked.words
    order by rank desc, m.memory_id limit ${MATCHES_MAX}`.execute(db);
  return rows.map(({ rank, ...row }) => ({ row, rank }));
}

export async function findAgentMemory(
  db: Db,
  {
    agentUid,
    reader,
    memoryId,
  }: { readonly agentUid: string; readonly reader: MemoryReader; readonly memoryId: string },
): Promise<AgentMemoryRow | null> {
  const { rows } = await sql<AgentMemoryRow>`
    select ${COLUMNS_OF_MEMORY} from agent_memory m
    where m.agent_uid = ${agentUid} and m.memory_id = ${memoryId} and ${readableBy(reader)}`.execute(db);
  return rows[0] ?? null;
}

export interface AgentMemoryState {
  readonly mind: MindState | null;
  readonly totals: MemoryTotals | null;
  readonly syncedAt: Date | null;
  readonly waiting: number;
}

/** The newest report of the agent about its memory; null before the first. */
export async function readMemoryState(db: Db, agentUid: string): Promise<AgentMemoryState | null> {
  const { rows } = await sql<AgentMemoryState>`
    select mind, totals, synced_at as "syncedAt",
      (select count(*) from agent_memory_command c where c.agent_uid = s.agent_uid and ${IS_OPEN}) as waiting
    from agent_memory_state s where agent_uid = ${agentUid}`.execute(db);
  return rows[0] ?? null;
}

interface Life {
  readonly agentUid: string;
  readonly agentId: string;
}

/** Locks the memory of a life until the transaction ends. Returns the numbers of the newest and the newest applied command. */
export async function lockAgentMemory(
  tx: Tx,
  { agentUid, agentId }: Life,
): Promise<{ readonly commands: number; readonly applied: number }> {
  const { rows } = await sql<{ readonly commands: number; readonly applied: number }>`
    insert into agent_memory_state (agent_uid, agent_id) values (${agentUid}, ${agentId})
    on conflict (agent_uid) do update set agent_id = excluded.agent_id returning commands, applied`.execute(tx);
  return firstRow(rows, 'the database did not write the state of the memory');
}

export interface MemoryReport {
  readonly agentUid: string;
  readonly applied: number;
  readonly held: readonly string[] | null;
  readonly memories: readonly SyncedMemory[];
  readonly gone: readonly string[];
  readonly mind: MindState | null;
  readonly totals: MemoryTotals | null;
}

/**
 * Stores what an agent reports. A memory that a person has changed keeps that change until the agent has applied it. The caller has
 * locked the memory.
 */
export async function storeMemoryReport(tx: Tx, report: MemoryReport): Promise<void> {
  const { agentUid, applied, held, memories, gone, mind, totals } = report;
  await sql`
    update agent_memory_state set applied = ${applied}, synced_at = clock_timestamp(),
      mind = coalesce(${mind === null ? null : JSON.stringify(mind)}::jsonb, mind),
      totals = coalesce(${totals === null ? null : JSON.stringify(totals)}::jsonb, totals)
    where agent_uid = ${agentUid}`.execute(tx);
  await sql`
    update agent_memory_command set text = null
    where agent_uid = ${agentUid} and number <= ${applied} and text is not null`.execute(tx);
  await sql`
    delete from agent_memory m where m.agent_uid = ${agentUid} and ${NOT_WAITING}
      and (m.memory_id = any(${[...gone]}::text[])
        or (${held === null ? null : [...held]}::text[] is not null and m.memory_id <> all(${held === null ? null : [...held]}::text[])))`.execute(
    tx,
  );
  for (const memory of memories) await storeMemory(tx, agentUid, memory);
  await sql`
    delete from agent_memory where agent_uid = ${agentUid} and memory_id in (
      select memory_id from agent_memory where agent_uid = ${agentUid}
      order by pinned desc, since desc, memory_id desc offset ${SHOWN_MEMORIES_MAX})`.execute(tx);
}

const NOT_WAITING = sql`not exists (
  select from agent_memory_command c join agent_memory_state s using (agent_uid)
  where c.agent_uid = m.agent_uid and ${IS_OPEN} and m.memory_id in (c.memory_id, c.new_id))`;

async function storeMemory(tx: Tx, agentUid: string, memory: SyncedMemory): Promise<void> {
  const { memory_id: id, kind, text, about, speaker, audience, pinned, dormant, outside, corrected } = memory;
  const { importance, uses, used_at: usedAt, since, until, replaces, run_id, session_id, repository } = memory;
  await sql`
    insert into agent_memory (agent_uid, memory_id, kind, text, about, speaker, audience, pinned, dormant, outside, corrected,
      importance, uses, used_at, since, until, replaces, run_id, session_id, repository)
    select ${agentUid}, ${id}, ${kind}, ${text}, ${about}, ${speaker}, ${audience === null ? null : [...audience]}::text[], ${pinned},
      ${dormant}, ${outside}, ${corrected}, ${importance}, ${uses}, ${usedAt}::timestamptz, ${since}::timestamptz,
      ${until}::timestamptz, ${replaces}, ${run_id}::uuid, ${session_id}::uuid, ${repository}
    where not exists (
      select from agent_memory_command c join agent_memory_state s using (agent_uid)
      where c.agent_uid = ${agentUid} and ${IS_OPEN} and ${id} in (c.memory_id, c.new_id))
    on conflict (agent_uid, memory_id) do update set kind = excluded.kind, text = excluded.text, about = excluded.about,
      speaker = excluded.speaker, audience = excluded.audience, pinned = excluded.pinned, dormant = excluded.dormant,
      outside = excluded.outside, corrected = excluded.corrected, importance = excluded.importance, uses = excluded.uses,
      used_at = excluded.used_at, since = excluded.since, until = excluded.until, replaces = excluded.replaces,
      run_id = excluded.run_id, session_id = excluded.session_id, repository = excluded.repository`.execute(tx);
}

/** True once an hour for each admin and memory: the caller then records in the audit that the admin read it. */
export async function noteMemoryLook(tx: Tx, agentUid: string, adminId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into agent_memory_look (agent_uid, admin_id) values (${agentUid}, ${adminId})
    on conflict (agent_uid, admin_id) do update set looked_at = clock_timestamp()
    where agent_memory_look.looked_at < clock_timestamp() - interval '1 hour' returning 1`.execute(tx);
  return rows.length > 0;
}
