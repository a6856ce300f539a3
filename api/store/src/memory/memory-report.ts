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
import { IS_OPEN } from './agent-memory.ts';

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

/**
 * Changes the shown memories. One that a person has changed keeps that change until the agent has applied it. The caller has locked the
 * memory.
 */
export async function storeShownMemories(
  tx: Tx,
  { agentUid, mark, memories, gone, held }: ShownChanges,
): Promise<void> {
  const newest = new Map(memories.map((memory) => [memory.memory_id, memory]));
  const touched = held === null ? [...gone, ...newest.keys()] : null;
  const size = await countShown(tx, { agentUid, among: touched }, async () => {
    if (touched === null || gone.length > 0) await deleteShown(tx, { agentUid, gone, held });
    if (newest.size > 0) await upsertShown(tx, agentUid, [...newest.values()]);
  });
  await sql`update agent_memory_state set mark = ${mark} where agent_uid = ${agentUid}`.execute(tx);
  if (size.shown > SHOWN_MEMORIES_MAX || size.bytes > SHOWN_MEMORIES_MAX_BYTES)
    await countShown(tx, { agentUid, among: null }, () => leaveOut(tx, agentUid));
}

/** The size of a memory, as migration 0084 counts it. */
const BYTES = sql`octet_length(concat(text, about, speaker, repository, audience::text))`;

interface Counted {
  readonly agentUid: string;
  /** Ids of the memories that may change; null for any. */
  readonly among: readonly string[] | null;
}

interface ShownSize {
  readonly shown: number;
  readonly bytes: number;
}

/** Changes shown memories, and keeps their number and size. The caller has locked the memory. */
export async function countShown(
  tx: Tx,
  { agentUid, among }: Counted,
  change: () => Promise<void>,
): Promise<ShownSize> {
  const before = among === null ? null : await sizeOf(tx, agentUid, among);
  await change();
  const after = await sizeOf(tx, agentUid, among);
  const [rows, bytes] =
    before === null
      ? [sql`0`, sql`0`]
      : [sql`shown - ${before.shown}::bigint`, sql`shown_bytes - ${before.bytes}::bigint`];
  const { rows: counted } = await sql<ShownSize>`
    update agent_memory_state set shown = ${rows} + ${after.shown}::bigint, shown_bytes = ${bytes} + ${after.bytes}::bigint
    where agent_uid = ${agentUid} returning shown, shown_bytes as bytes`.execute(tx);
  return firstRow(counted, 'the memory was not locked');
}

async function sizeOf(tx: Tx, agentUid: string, among: readonly string[] | null): Promise<ShownSize> {
  const { rows } = await sql<ShownSize>`
    select count(*) as shown, coalesce(sum(${BYTES}), 0)::bigint as bytes from agent_memory
    where agent_uid = ${agentUid} and ${among === null ? sql`true` : sql`memory_id = any(${[...among]}::text[])`}`.execute(
    tx,
  );
  return firstRow(rows, 'the database did not count the memories');
}

/** Share of the bounds that stays when one is exceeded: finding the rest reads all rows. */
const SHARE_LEFT = 0.95;

/** Leaves out the oldest words, after them facts and pinned memories. */
async function leaveOut(tx: Tx, agentUid: string): Promise<void> {
  await sql`
    delete from agent_memory where agent_uid = ${agentUid} and memory_id in (
      select memory_id from (
        select memory_id, row_number() over best as place, sum(${BYTES}) over best as bytes from agent_memory
        where agent_uid = ${agentUid}
        window best as (order by pinned desc, kind = 'fact' desc, since desc, memory_id desc)
      ) ranked
      where place > ${Math.floor(SHOWN_MEMORIES_MAX * SHARE_LEFT)} or bytes > ${Math.floor(SHOWN_MEMORIES_MAX_BYTES * SHARE_LEFT)}
    )`.execute(tx);
}

/** True for a memory that a person has changed, if the agent has not applied it yet. */
const isWaiting = (agentUid: string, memoryId: RawBuilder<unknown>): RawBuilder<unknown> => sql`exists (
  select from agent_memory_command c join agent_memory_state s using (agent_uid)
  where c.agent_uid = ${agentUid} and ${IS_OPEN} and ${memoryId} in (c.memory_id, c.new_id))`;

async function deleteShown(
  tx: Tx,
  { agentUid, gone, held }: Pick<ShownChanges, 'agentUid' | 'gone' | 'held'>,
): Promise<void> {
  const isOther = held === null ? sql`false` : sql`m.memory_id <> all(${[...held]}::text[])`;
  await sql`
    delete from agent_memory m where m.agent_uid = ${agentUid} and (m.memory_id = any(${[...gone]}::text[]) or ${isOther})
      and not ${isWaiting(agentUid, sql`m.memory_id`)}`.execute(tx);
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
    where not ${isWaiting(agentUid, sql`r.memory_id`)}
    on conflict (agent_uid, memory_id) do update set kind = excluded.kind, text = excluded.text, about = excluded.about,
      speaker = excluded.speaker, audience = excluded.audience, pinned = excluded.pinned, dormant = excluded.dormant,
      outside = excluded.outside, importance = excluded.importance, uses = excluded.uses, used_at = excluded.used_at,
      corrected = agent_memory.corrected and excluded.kind = 'fact' and agent_memory.text = excluded.text
        and agent_memory.about is not distinct from excluded.about,
      since = excluded.since, until = excluded.until, replaces = excluded.replaces, run_id = excluded.run_id,
      session_id = excluded.session_id, repository = excluded.repository`.execute(tx);
}
