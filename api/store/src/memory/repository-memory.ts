import { MEMORY_WRITES_PER_HOUR, REPOSITORY_MEMORIES_MAX } from '@hamlet/contract';
import { bytesOfEntry, type ChangedMemory, type KeptEntry } from '@hamlet/core';
import { sql } from 'kysely';
import { lockName, type Db, type Tx } from '../connection/database.ts';
import { cutPage, firstRow, type Page } from '../connection/result-rows.ts';
import { readableBy, type MemoryReader } from './memory-reader.ts';

export interface RepositoryEntry extends KeptEntry {
  readonly changedAt: Date;
}

/** Locks the memory of a repository until the transaction ends, even if it does not exist yet. */
export function lockRepositoryMemory(tx: Tx, repository: string): Promise<void> {
  return lockName(tx, `memory of ${repository}`);
}

/** 0 before the first write. */
export async function readMemoryVersion(db: Db, repository: string): Promise<number> {
  const { rows } = await sql<{ readonly version: number }>`
    select version from repository_memory where repository = ${repository}`.execute(db);
  return rows[0]?.version ?? 0;
}

/** The entries of all audiences, the least recently changed first. */
export async function readRepositoryMemory(db: Db, repository: string): Promise<readonly RepositoryEntry[]> {
  const { rows } = await sql<RepositoryEntry>`
    select memory_id as "memoryId", kind, name, type, target as "to", about, observations, pinned, outside, agent_id as "agentId",
      run_id as "runId", changed_at as "changedAt", audience
    from repository_memory_entry where repository = ${repository} order by changed_at, memory_id`.execute(db);
  return rows;
}

/** False if the village has its maximum number of memories and this would be another one. */
export async function hasRoomForMemory(tx: Tx, repository: string): Promise<boolean> {
  const { rows } = await sql<{ readonly room: boolean }>`
    select exists (select from repository_memory where repository = ${repository})
      or (select count(*) from repository_memory) < ${REPOSITORY_MEMORIES_MAX} as room`.execute(tx);
  return firstRow(rows, 'the database returned no answer').room;
}

/** Counts changes of an agent. Null if they fit into its hour, else the seconds until its next hour. */
export async function countMemoryWrites(tx: Tx, agentId: string, writes: number): Promise<number | null> {
  await sql`
    insert into repository_memory_rate (agent_id, writes) values (${agentId}, 0)
    on conflict (agent_id) do update set since = clock_timestamp(), writes = 0
    where repository_memory_rate.since <= clock_timestamp() - interval '1 hour'`.execute(tx);
  const counted = await sql`
    update repository_memory_rate set writes = writes + ${writes}
    where agent_id = ${agentId} and writes + ${writes} <= ${MEMORY_WRITES_PER_HOUR} returning 1`.execute(tx);
  if (counted.rows.length > 0) return null;
  const { rows } = await sql<{ readonly seconds: number }>`
    select greatest(1, ceil(extract(epoch from since + interval '1 hour' - clock_timestamp())))::integer as seconds
    from repository_memory_rate where agent_id = ${agentId}`.execute(tx);
  return firstRow(rows, 'the database did not write the count of the agent').seconds;
}

/** Stores a changed memory. Returns its version. The caller has locked it. */
export async function writeRepositoryMemory(
  tx: Tx,
  repository: string,
  { written, forgotten }: Pick<ChangedMemory, 'written' | 'forgotten'>,
): Promise<number> {
  const { rows } = await sql<{ readonly version: number }>`
    insert into repository_memory (repository) values (${repository})
    on conflict (repository) do update set version = repository_memory.version + 1, changed_at = clock_timestamp()
    returning version`.execute(tx);
  for (const entry of written) await storeEntry(tx, repository, entry);
  if (forgotten.length > 0)
    await sql`
      delete from repository_memory_entry
      where repository = ${repository} and memory_id = any(${[...forgotten]}::text[])`.execute(tx);
  return firstRow(rows, 'the database did not write the memory').version;
}

async function storeEntry(tx: Tx, repository: string, entry: KeptEntry): Promise<void> {
  const { memoryId, kind, name, type, to, about, observations, pinned, outside, agentId, runId, audience } = entry;
  const people = audience === null ? null : [...audience];
  await sql`
    insert into repository_memory_entry
      (repository, memory_id, kind, name, type, target, about, observations, pinned, outside, agent_id, run_id, bytes,
        audience)
    values (${repository}, ${memoryId}, ${kind}, ${name}, ${type}, ${to}, ${about}, ${JSON.stringify(observations)}::jsonb,
      ${pinned}, ${outside}, ${agentId}, ${runId}, ${bytesOfEntry(entry)}, ${people}::text[])
    on conflict (repository, memory_id) do update set observations = excluded.observations, pinned = excluded.pinned,
      outside = excluded.outside, run_id = excluded.run_id, bytes = excluded.bytes, changed_at = clock_timestamp()`.execute(
    tx,
  );
}

export interface MemorySummary {
  readonly repository: string;
  readonly entries: number;
  readonly bytes: number;
  readonly agents: readonly string[];
  readonly changedAt: Date;
}

interface MemoriesFilter {
  /** Only memories in which this agent created an entry. */
  readonly agentId: string | null;
  readonly reader: MemoryReader;
}

/** A page of memories by name, with what the reader may know of each. It omits those with entries for others alone. */
export async function listMemories(
  db: Db,
  { agentId, reader, after, limit }: MemoriesFilter & { readonly after: string | null; readonly limit: number },
): Promise<Page<MemorySummary, string>> {
  const { rows } = await sql<MemorySummary>`
    select m.repository, m.changed_at as "changedAt", count(e.memory_id)::integer as entries,
      coalesce(sum(e.bytes), 0)::integer as bytes,
      coalesce(array_agg(distinct e.agent_id) filter (where e.agent_id is not null), '{}') as agents
    from repository_memory m left join repository_memory_entry e on e.repository = m.repository and ${readableBy(reader, sql`e.audience`)}
    where (${after}::text is null or m.repository > ${after})
      and (e.repository is not null or not exists (select from repository_memory_entry any_of where any_of.repository = m.repository))
      and (${agentId}::text is null or exists (
        select from repository_memory_entry own
        where own.repository = m.repository and own.agent_id = ${agentId} and ${readableBy(reader, sql`own.audience`)}))
    group by m.repository, m.changed_at order by m.repository limit ${limit + 1}`.execute(db);
  return cutPage(rows, limit, ({ repository }) => repository);
}

/** True once an hour for each admin and memory: the caller then records in the audit that the admin read it. The memory exists. */
export async function noteRepositoryLook(tx: Tx, repository: string, adminId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into repository_memory_look (repository, admin_id) values (${repository}, ${adminId})
    on conflict (repository, admin_id) do update set looked_at = clock_timestamp()
    where repository_memory_look.looked_at < clock_timestamp() - interval '1 hour' returning 1`.execute(tx);
  return rows.length > 0;
}

/** Deletes a memory with its entries. False if there is none. The caller has locked it. */
export async function deleteRepositoryMemory(tx: Tx, repository: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('repository_memory')
    .where('repository', '=', repository)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
