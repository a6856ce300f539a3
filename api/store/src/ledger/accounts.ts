import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';

/** `treasury` pays rewards, `deposits` counts money from outside, `compute` counts spending on compute. */
type VillageBook = 'treasury' | 'deposits' | 'compute';

export interface AgentAccount {
  readonly accountId: number;
  readonly closedAt: Date | null;
}

export async function findAgentAccount(db: Db, agentId: string): Promise<AgentAccount | null> {
  const { rows } = await sql<AgentAccount>`
    select account_id as "accountId", closed_at as "closedAt" from ledger.account where book = 'agent' and owner = ${agentId} and shard = 0
  `.execute(db);
  return rows[0] ?? null;
}

export async function lockAgentAccount(tx: Tx, agentId: string): Promise<AgentAccount | null> {
  const account = await findAgentAccount(tx, agentId);
  if (account === null) return null;
  await sql`select ledger.lock_accounts(array[${account.accountId}::bigint])`.execute(tx);
  return findAgentAccount(tx, agentId);
}

/** Locks accounts in the ledger's order. A transaction that moves money of several accounts calls this first. */
export async function lockAccounts(tx: Tx, accounts: readonly number[]): Promise<void> {
  await sql`select ledger.lock_accounts(${accounts as number[]}::bigint[])`.execute(tx);
}

export async function openAgentAccount(tx: Tx, agentId: string): Promise<void> {
  await sql`select ledger.open_agent(${agentId})`.execute(tx);
}

/** Closes the account of a name whose last life has ended: its balance stays, but the ledger refuses new transfers. */
export async function closeAgentAccount(tx: Tx, agentId: string): Promise<void> {
  await sql`select ledger.close_agent(${agentId})`.execute(tx);
}

/** The shard of a village account for this connection: shards avoid contention for one row. */
export async function villageAccount(db: Db, book: VillageBook): Promise<number> {
  const { rows } = await sql<{ id: number }>`select ledger.village_account(${book}) as id`.execute(db);
  return firstRow(rows, `the village has no account ${book}`).id;
}
