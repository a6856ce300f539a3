import type { MemoryKind, MemoryTotals, MindState } from '@hamlet/contract';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { asMoment, cutPage, type Moment, type Page } from '../connection/result-rows.ts';
import { readableBy, type MemoryReader } from './memory-reader.ts';

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
  /** Null while it holds. */
  readonly until: Date | null;
  readonly replaces: string | null;
  readonly runId: string | null;
  readonly sessionId: string | null;
  readonly repository: string | null;
  readonly waiting: boolean;
}

/** A command that its agent has not applied; the words of a correction may be forgotten before. */
export const IS_OPEN = sql`c.number > s.applied and (c.op <> 'correct' or c.text is not null)`;

/** True for a memory that a person has changed, if the agent has not applied the change yet. */
export const isWaiting = (
  agentUid: RawBuilder<unknown>,
  memoryId: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`exists (
  select from agent_memory_command c join agent_memory_state s using (agent_uid)
  where c.agent_uid = ${agentUid} and ${IS_OPEN} and ${memoryId} in (c.memory_id, c.new_id))`;

const AUDIENCE = sql`m.audience`;
const COLUMNS_OF_MEMORY = sql`
  m.memory_id as "memoryId", m.kind, m.text, m.about, m.speaker, m.audience, m.pinned, m.dormant,
  m.outside or exists (
    select from memory_taint t where t.agent_uid = m.agent_uid and t.memory_id = m.memory_id) as outside, m.corrected,
  m.importance, m.uses, m.used_at as "usedAt", m.since,
  case when m.until <= clock_timestamp() then m.until end as until, m.replaces, m.run_id as "runId", m.session_id as "sessionId",
  m.repository,
  ${isWaiting(sql`m.agent_uid`, sql`m.memory_id`)} as waiting`;

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
    where m.agent_uid = ${agentUid} and ${readableBy(reader, AUDIENCE)} and (${kind}::text is null or m.kind = ${kind})
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
    where m.agent_uid = ${agentUid} and ${readableBy(reader, AUDIENCE)} and m.words @@ asked.words
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
    where m.agent_uid = ${agentUid} and m.memory_id = ${memoryId} and ${readableBy(reader, AUDIENCE)}`.execute(db);
  return rows[0] ?? null;
}

export interface AgentMemoryState {
  readonly mind: MindState | null;
  readonly totals: MemoryTotals | null;
  readonly syncedAt: Date | null;
  readonly shown: number;
  readonly waiting: number;
}

/** The newest report of the agent about its memory; null before the first. */
export async function readMemoryState(db: Db, agentUid: string): Promise<AgentMemoryState | null> {
  const { rows } = await sql<AgentMemoryState>`
    select mind, totals, synced_at as "syncedAt", shown,
      (select count(*) from agent_memory_command c where c.agent_uid = s.agent_uid and ${IS_OPEN}) as waiting
    from agent_memory_state s where agent_uid = ${agentUid}`.execute(db);
  return rows[0] ?? null;
}

/** True once an hour for each admin and memory: the caller then records in the audit that the admin read it. */
export async function noteMemoryLook(tx: Tx, agentUid: string, adminId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into agent_memory_look (agent_uid, admin_id) values (${agentUid}, ${adminId})
    on conflict (agent_uid, admin_id) do update set looked_at = clock_timestamp()
    where agent_memory_look.looked_at < clock_timestamp() - interval '1 hour' returning 1`.execute(tx);
  return rows.length > 0;
}
