import assert from 'node:assert/strict';
import { after } from 'node:test';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { until } from '@hamlet/test/env/until';
import { sql } from 'kysely';
import { type Db, inTransaction, openDatabase, type Tx } from '../../connection/database.ts';
import { findAgentAccount, openAgentAccount, villageAccount } from '../accounts.ts';
import { holdMoney, postTransfer, type ResolutionRequest, resolveHold, reverseTransfer } from '../post-transfer.ts';
import type { TransferRequest } from '../transfer-request.ts';
import { checkLedger } from '../upkeep.ts';

/** An end of holds that no test reaches. */
export const AHEAD = new Date('2999-01-01T00:00:00Z');
const ACTOR = { role: 'system', id: 'test' } as const;

/**
 * A real Postgres with a ledger for the tests of the file, as seen by the owner of the schema and by the role of the
 * API, which may have `clients` open transactions. After the tests, the ledger must keep every rule.
 */
export async function testLedger(clients: number) {
  const postgres = await migratedPostgres();
  const owner = openDatabase({ url: postgres.url(), poolSize: 2, onError: () => undefined });
  const db = openDatabase({ url: postgres.appUrl, poolSize: clients, onError: () => undefined });
  after(async () => {
    try {
      await inTransaction(owner, assertRules);
    } finally {
      await Promise.all([owner.destroy(), db.destroy()]);
      await postgres.remove();
    }
  });
  const within = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => inTransaction(db, work);

  /** A request between two accounts. */
  const request = (
    [payer, payee]: readonly [payer: number, payee: number],
    amount: bigint,
    key: string,
  ): TransferRequest => ({ payer, payee, amount, key, reason: 'adjustment', source: 'test', note: '', actor: ACTOR });
  const [compute, treasury] = await Promise.all([villageAccount(db, 'compute'), villageAccount(db, 'treasury')]);

  return {
    postgres,
    owner,
    db,
    compute,
    treasury,
    request,
    /** Does the work in a transaction of the API. */
    within,
    /** Opens the account of an agent's name with a balance of `micro` micro-aiDollars. */
    account: (agentId: string, micro: bigint): Promise<number> =>
      within(async (tx) => {
        await openAgentAccount(tx, agentId);
        const account = await findAgentAccount(tx, agentId);
        if (account === null) throw new Error(`no account of ${agentId}`);
        if (micro > 0n)
          await postTransfer(tx, request([treasury, account.accountId], micro, `first money of ${agentId}`));
        return account.accountId;
      }),
    post: (wish: TransferRequest) => within((tx) => postTransfer(tx, wish)),
    hold: (wish: TransferRequest, expiresAt = AHEAD) => within((tx) => holdMoney(tx, { ...wish, expiresAt })),
    resolve: (wish: Omit<ResolutionRequest, 'actor'>) => within((tx) => resolveHold(tx, { ...wish, actor: ACTOR })),
    reverse: (transferId: string, key: string, forced = false) =>
      within((tx) =>
        reverseTransfer(tx, { transferId, key, forced, reason: 'refund', source: 'test', note: '', actor: ACTOR }),
      ),
    blocked: () =>
      until('a statement that waits for a lock', async () => {
        const waiting = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(owner);
        return waiting.rows.length > 0;
      }),
  };
}

async function assertRules(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx);
  assert.deepEqual(
    (await checkLedger(tx)).filter(({ broken }) => broken !== 0),
    [],
  );
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
