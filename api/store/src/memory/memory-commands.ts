import type { MemoryChangeRefusal, MemoryCommand } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { IS_OPEN } from './agent-memory.ts';
import { countShown } from './memory-report.ts';

/** Number of applied commands to keep for an agent whose volume is restored from an older copy. */
const COMMANDS_KEPT = 5_000;

export interface NewMemoryCommand {
  readonly agentUid: string;
  readonly number: number;
  readonly memoryId: string;
  readonly by: { readonly id: string; readonly name: string };
  readonly change:
    | { readonly op: 'forget' }
    | { readonly op: 'pin'; readonly pinned: boolean }
    | { readonly op: 'correct'; readonly text: string; readonly newId: string };
}

/** Adds a command and shows its effect at once. The caller has locked the memory and found the memory that changes. */
export async function addMemoryCommand(tx: Tx, command: NewMemoryCommand): Promise<void> {
  const { agentUid, number, memoryId, by, change } = command;
  const { op, text, newId } = columnsOf(change);
  await sql`
    insert into agent_memory_command (agent_uid, number, op, memory_id, new_id, text, by_id, by_name)
    values (${agentUid}, ${number}, ${op}, ${memoryId}, ${newId}, ${text}, ${by.id}, ${by.name})`.execute(tx);
  await sql`update agent_memory_state set commands = ${number} where agent_uid = ${agentUid}`.execute(tx);
  await sql`
    delete from agent_memory_command c using agent_memory_state s
    where s.agent_uid = ${agentUid} and c.agent_uid = s.agent_uid and c.number <= s.applied
      and c.number <= ${number - COMMANDS_KEPT}`.execute(tx);
  const among = newId === null ? [memoryId] : [memoryId, newId];
  await countShown(tx, { agentUid, among }, () => showEffect(tx, command));
}

function columnsOf(change: NewMemoryCommand['change']) {
  switch (change.op) {
    case 'forget':
      return { op: 'forget', text: null, newId: null };
    case 'pin':
      return { op: change.pinned ? 'pin' : 'unpin', text: null, newId: null };
    case 'correct':
      return { op: 'correct', text: change.text, newId: change.newId };
  }
}

async function showEffect(tx: Tx, { agentUid, memoryId, change }: NewMemoryCommand): Promise<void> {
  const isIt = sql`agent_uid = ${agentUid} and memory_id = ${memoryId}`;
  switch (change.op) {
    case 'forget':
      await sql`delete from agent_memory where ${isIt}`.execute(tx);
      // A correction that is not applied yet has its words in the command.
      await sql`update agent_memory_command set text = null where agent_uid = ${agentUid} and new_id = ${memoryId}`.execute(
        tx,
      );
      return;
    case 'pin':
      await sql`update agent_memory set pinned = ${change.pinned} where ${isIt}`.execute(tx);
      return;
    case 'correct':
      // An agent may have reported a memory of this id, because the agent can predict the id.
      await sql`delete from agent_memory where agent_uid = ${agentUid} and memory_id = ${change.newId}`.execute(tx);
      await sql`
        insert into agent_memory (agent_uid, memory_id, kind, text, about, audience, pinned, dormant, outside, corrected, importance,
          uses, since, replaces, repository)
        select agent_uid, ${change.newId}, 'fact', ${change.text}, about, audience, pinned, false, false, true, importance, 0,
          clock_timestamp(), memory_id, repository
        from agent_memory where ${isIt}`.execute(tx);
      await sql`update agent_memory set until = clock_timestamp(), pinned = false where ${isIt}`.execute(tx);
  }
}

/** The commands after a number, the oldest first. A correction whose words are gone was applied or forgotten, and is omitted. */
export async function readMemoryCommands(
  db: Db,
  { agentUid, after, limit }: { readonly agentUid: string; readonly after: number; readonly limit: number },
): Promise<readonly MemoryCommand[]> {
  const { rows } = await sql<CommandRow>`
    select number, op, memory_id as "memoryId", new_id as "newId", text, by_name as "byName" from agent_memory_command
    where agent_uid = ${agentUid} and number > ${after} and (op <> 'correct' or text is not null)
    order by number limit ${limit}`.execute(db);
  return rows.map(commandOf);
}

export interface OwnChangeRow {
  readonly number: number;
  readonly op: 'forget' | 'pin' | 'unpin' | 'correct';
  readonly memoryId: string;
  readonly at: Date;
  readonly state: 'waiting' | 'done' | 'refused';
  readonly reason: MemoryChangeRefusal | null;
}

/** The newest changes of one person to the memory of an agent, newest first. */
export async function readOwnChanges(
  db: Db,
  { agentUid, byId, limit }: { readonly agentUid: string; readonly byId: string; readonly limit: number },
): Promise<readonly OwnChangeRow[]> {
  const { rows } = await sql<OwnChangeRow>`
    select c.number, c.op, c.memory_id as "memoryId", c.at, c.refusal as reason,
      case when c.refusal is not null then 'refused' when ${IS_OPEN} then 'waiting' else 'done' end as state
    from agent_memory_command c join agent_memory_state s using (agent_uid)
    where c.agent_uid = ${agentUid} and c.by_id = ${byId} order by c.number desc limit ${limit}`.execute(db);
  return rows;
}

interface CommandRow {
  readonly number: number;
  readonly op: 'forget' | 'pin' | 'unpin' | 'correct';
  readonly memoryId: string;
  readonly newId: string | null;
  readonly text: string | null;
  readonly byName: string;
}

function commandOf({ number, op, memoryId, newId, text, byName }: CommandRow): MemoryCommand {
  const shared = { number, memory_id: memoryId };
  if (op === 'forget') return { op, ...shared };
  if (op !== 'correct') return { op: 'pin', ...shared, pinned: op === 'pin' };
  return { op, ...shared, text: text ?? '', new_id: newId ?? '', by: byName };
}

/** Which of these memories people have forgotten while the agent still holds them. */
export async function readForgotten(
  db: Db,
  { agentUid, memoryIds }: { readonly agentUid: string; readonly memoryIds: readonly string[] },
): Promise<readonly string[]> {
  if (memoryIds.length === 0) return [];
  const { rows } = await sql<{ readonly memoryId: string }>`
    select distinct memory_id as "memoryId" from agent_memory_command
    where agent_uid = ${agentUid} and op = 'forget' and memory_id = any(${[...memoryIds]}::text[])`.execute(db);
  return rows.map(({ memoryId }) => memoryId);
}
