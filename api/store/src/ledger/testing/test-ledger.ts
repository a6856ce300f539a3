import { after } from 'node:test';
import { migratedPostgres, type TestPostgres } from '@hamlet/test/env/postgres';
import { sql } from 'kysely';
import { type Db, inTransaction, openDatabase } from '../../connection/database.ts';
import { findAgentAccount, openAgentAccount, villageAccount } from '../accounts.ts';
import { postTransfer } from '../post-transfer.ts';
import type { TransferRequest } from '../transfer-request.ts';

/** A real Postgres with a ledger, as seen by the owner of the schema and by the role of the API. */
export interface TestLedger {
  readonly postgres: TestPostgres;
  readonly owner: Db;
  readonly db: Db;
  /** Opens the account of an agent's name with a balance of `micro` micro-aiDollars. */
  account(agentId: string, micro: bigint): Promise<number>;
  /** A request between two accounts. */
  request(between: readonly [payer: number, payee: number], amount: bigint, key: string): TransferRequest;
}

/** Starts a test ledger for the tests of the file; the API's role may have `clients` open transactions. */
export async function testLedger(clients: number): Promise<TestLedger> {
  const postgres = await migratedPostgres();
  const owner = openDatabase({ url: postgres.url(), poolSize: 2, onError: () => undefined });
  const db = openDatabase({ url: postgres.appUrl, poolSize: clients, onError: () => undefined });
  after(async () => {
    await Promise.all([owner.destroy(), db.destroy()]);
    await postgres.remove();
  });

  function request([payer, payee]: readonly [number, number], amount: bigint, key: string): TransferRequest {
    return {
      payer,
      payee,
      amount,
      key,
      reason: 'adjustment',
      source: 'test',
      note: '',
      actor: { role: 'system', id: 'test' },
    };
  }

  return {
    postgres,
    owner,
    db,
    request,
    account: (agentId, micro) =>
      inTransaction(db, async (tx) => {
        await openAgentAccount(tx, agentId);
        const account = await findAgentAccount(tx, agentId);
        if (account === null) throw new Error(`no account of ${agentId}`);
        if (micro > 0n)
          await postTransfer(
            tx,
            request([await villageAccount(tx, 'treasury'), account.accountId], micro, `first money of ${agentId}`),
          );
        return account.accountId;
      }),
  };
}

/** The SQLSTATE of a failing statement; null if it succeeds. */
export async function sqlStateOf(db: Db, statement: string): Promise<string | null> {
  try {
    await sql.raw(statement).execute(db);
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}
