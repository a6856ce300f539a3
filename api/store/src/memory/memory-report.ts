import {
  SHOWN_MEMORIES_MAX,
  SHOWN_MEMORIES_MAX_BYTES,
  type MemoryChangeRefusal,
  type MemoryTotals,
  type MindState,
  type SyncedMemory,
} from '@hamlet/contract';
import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';
import { isWaiting } from './agent-memory.ts';

interface Life {
  readonly agentUid: string;
  readonly agentId: string;
}

export interface LockedMemory {
  /** Numbers of the newest command, and of the newest that the agent has applied. */
  readonly commands: number;
  readonly applied: number;
  /** The place that the agent's reports have reached; null before the first. */
  readonly mark: number | null;
}

/** Locks the memory of a life until the transaction ends. */
export async function lockAgentMemory(tx: Tx, { agentUid, agentId }: Life): Promise<LockedMemory> {
  const { rows } = await sql<LockedMemory>`
    insert into agent_memory_state (agent_uid, agent_id) values (${agentUid}, ${agentId})
    on conflict (agent_uid) do update set agent_id = excluded.agent_id returning commands, applied, mark`.execute(tx);
  return firstRow(rows, 'the database did not write the state of the memory');
}

export interface MemoryReport {
  readonly agentUid: string;
  readonly applied: number;
  readonly refused: readonly { readonly number: number; readonly reason: MemoryChangeRefusal }[];
  readonly mind: MindState | null;
  readonly totals: MemoryTotals | null;
}

/** Stores what an agent reports about itself and the commands that it has applied. The caller has locked the memory. */
export async function storeMemoryReport(tx: Tx, report: MemoryReport): Promise<void> {
  const { agentUid, applied, refused, mind, totals } = report;
  await sql`
    update agent_memory_state set applied = ${applied}, synced_at = clock_timestamp(),
      mind = coalesce(${mind === null ? null : JSON.stringify(mind)}::jsonb, mind),
      totals = coalesce(${totals === null ? null : JSON.stringify(totals)}::jsonb, totals)
    where agent_uid = ${agentUid}`.execute(tx);
  await sql`
    update agent_memory_command set text = null
    where agent_uid = ${agentUid} and number <= ${applied} and text is not null`.execute(tx);
  if (refused.length > 0)
    await sql`
      update agent_memory_command c set refusal = r.reason
      from jsonb_to_recordset(${JSON.stringify(refused)}::jsonb) as r (number bigint, reason text)
      where c.agent_uid = ${agentUid} and c.number = r.number and c.number <= ${applied}`.execute(tx);
}

export interface ShownChanges {
  readonly agentUid: string;
  /** The place after these changes; null for an agent that lists all that it holds. */
  readonly mark: number | null;
  readonly memories: readonly SyncedMemory[];
  readonly gone: readonly string[];
  /** Ids of the memories that stay besides these; null for all. */
  readonly held: readonly string[] | null;
}

const BOUNDS = { memories: SHOWN_MEMORIES_MAX, bytes: SHOWN_MEMORIES_MAX_BYTES };

/**
 * Changes the shown memories. One that a person has changed keeps that change until the agent has applied it. The caller has locked the
 * memory.
 */
export async function storeShownMemories(tx: Tx, changes: ShownChanges, bounds = BOUNDS): Promise<void> {
  const { agentUid, mark, memories, gone, held } = changes;
  const newest = new Map(memories.map((memory) => [memory.memory_id, memory]));
  if (gone.length > 0) await deleteShown(tx, agentUid, sql`memory_id = any(${[...gone]}::text[])`);
  if (held !== null) await deleteShown(tx, agentUid, sql`memory_id <> all(${[...held]}::text[])`);
  if (newest.size > 0)
    await countShown(tx, { agentUid, among: [...newest.keys()] }, () =>
      upsertShown(tx, agentUid, [...newest.values()]),
    );
  const { rows } = await sql<ShownSize>`
    update agent_memory_state set mark = ${mark} where agent_uid = ${agentUid}
    returning shown, shown_bytes as bytes`.execute(tx);
  const { shown, bytes } = firstRow(rows, 'the memory was not locked');
  if (shown > bounds.memories || bytes > bounds.bytes) await leaveOut(tx, agentUid, { shown, bytes, bounds });
}

/** Deletes shown memories, so that a new copy may begin. False if some are left: call it again in the next transaction. */
export async function clearShownMemories(tx: Tx, agentUid: string): Promise<boolean> {
  return (await deleteShown(tx, agentUid, sql`true`)) < DELETED_AT_ONCE;
}

interface ShownSize {
  readonly shown: number;
  readonly bytes: number;
}

/** The size of a memory, as migration 0084 counts it. */
const BYTES = sql`octet_length(concat(text, about, speaker, repository, audience::text))`;

interface Counted {
  readonly agentUid: string;
  /** Ids of the memories that may change. */
  readonly among: readonly string[];
}

/** Changes shown memories, and keeps their number and size. The caller has locked the memory. */
export async function countShown(tx: Tx, { agentUid, among }: Counted, change: () => Promise<void>): Promise<void> {
  const before = await sizeOf(tx, agentUid, among);
  await change();
  const after = await sizeOf(tx, agentUid, among);
  await sql`
    update agent_memory_state set shown = shown + ${after.shown - before.shown}::bigint,
      shown_bytes = shown_bytes + ${after.bytes - before.bytes}::bigint
    where agent_uid = ${agentUid}`.execute(tx);
}

async function sizeOf(tx: Tx, agentUid: string, among: readonly string[]): Promise<ShownSize> {
  const { rows } = await sql<ShownSize>`
    select count(*) as shown, coalesce(sum(${BYTES}), 0)::bigint as bytes from agent_memory
    where agent_uid = ${agentUid} and memory_id = any(${[...among]}::text[])`.execute(tx);
  return firstRow(rows, 'the database did not count the memories');
}

/** Rows that one statement deletes at most: a statement has 10 s, even on a busy machine. */
const DELETED_AT_ONCE = 2_000;

/** Deletes memories that wait for no change, and keeps the number and size of the rest. Returns how many it deleted. */
async function deleteShown(tx: Tx, agentUid: string, which: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<ShownSize>`
    with chosen as (
      select memory_id from agent_memory m
      where m.agent_uid = ${agentUid} and ${which} and not ${isWaiting(sql`${agentUid}`, sql`m.memory_id`)}
      limit ${DELETED_AT_ONCE}
    ), deleted as (
      delete from agent_memory where agent_uid = ${agentUid} and memory_id in (select memory_id from chosen)
      returning ${BYTES} as bytes
    ), size as (select count(*) as shown, coalesce(sum(bytes), 0)::bigint as bytes from deleted)
    update agent_memory_state set shown = agent_memory_state.shown - size.shown, shown_bytes = shown_bytes - size.bytes
    from size where agent_uid = ${agentUid} returning size.shown, size.bytes`.execute(tx);
  return firstRow(rows, 'the memory was not locked').shown;
}

/** Share of the bounds that stays when one is exceeded: finding the rest reads all rows. */
const SHARE_LEFT = 0.95;

type Over = ShownSize & { readonly bounds: typeof BOUNDS };

/** Leaves out the oldest words, then facts, then pinned memories. If many must go, later reports leave out the rest. */
async function leaveOut(tx: Tx, agentUid: string, { shown, bytes, bounds }: Over): Promise<void> {
  await deleteShown(
    tx,
    agentUid,
    sql`memory_id in (
      select memory_id from (
        select memory_id, row_number() over worst as place, sum(bytes) over worst - bytes as freed from (
          select memory_id, pinned, kind, since, ${BYTES} as bytes from agent_memory where agent_uid = ${agentUid}
          order by pinned, kind = 'fact', since, memory_id limit ${DELETED_AT_ONCE}
        ) oldest
        window worst as (order by pinned, kind = 'fact', since, memory_id)
      ) ranked
      where place <= ${Math.ceil(shown - bounds.memories * SHARE_LEFT)} or freed < ${Math.ceil(bytes - bounds.bytes * SHARE_LEFT)}
    )`,
  );
}

/** Only `addMemoryCommand` makes a memory a correction. It stays one while the agent reports the same words. */
async function upsertShown(tx: Tx, agentUid: string, memories: readonly SyncedMemory[]): Promise<void> {
  await sql`
    insert into agent_memory (agent_uid, memory_id, kind, text, about, speaker, audience, pinned, dormant, outside, corrected,
      importance, uses, used_at, since, until, replaces, run_id, session_id, repository)
    select ${agentUid}, memory_id, kind, text, about, speaker, audience, pinned, dormant, outside, false,
      importance, uses, used_at, since, until, replaces, run_id, session_id, repository
    from jsonb_to_recordset(${JSON.stringify(memories)}::jsonb) as r (memory_id text, kind text, text text, about text,
      speaker text, audience text[], pinned boolean, dormant boolean, outside boolean, importance double precision, uses bigint,
      used_at timestamptz, since timestamptz, until timestamptz, replaces text, run_id uuid, session_id uuid, repository text)
    where not ${isWaiting(sql`${agentUid}`, sql`r.memory_id`)}
    on conflict (agent_uid, memory_id) do update set kind = excluded.kind, text = excluded.text, about = excluded.about,
      speaker = excluded.speaker, audience = excluded.audience, pinned = excluded.pinned, dormant = excluded.dormant,
      outside = excluded.outside, importance = excluded.importance, uses = excluded.uses, used_at = excluded.used_at,
      corrected = agent_memory.corrected and excluded.kind = 'fact' and agent_memory.text = excluded.text
        and agent_memory.about is not distinct from excluded.about,
      since = excluded.since, until = excluded.until, replaces = excluded.replaces, run_id = excluded.run_id,
      session_id = excluded.session_id, repository = excluded.repository`.execute(tx);
}
