import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';

/** A transfer that was posted under a key, and what reversed it. */
export interface KeyedTransfer {
  readonly transferId: string;
  /** Micro-aiDollars. */
  readonly amount: bigint;
  /** The agent that the money went to. */
  readonly agentId: string;
  /** The key of the transfer that moved it back; null while it stands. */
  readonly reversedBy: string | null;
}

interface Row extends Omit<KeyedTransfer, 'amount'> {
  readonly amount: string;
}

/** The transfer to an agent that a key stands for, as it stands now; null where nothing was posted under it. */
export async function findCredit(tx: Tx, key: string): Promise<KeyedTransfer | null> {
  const { rows } = await sql<Row>`
    select t.transfer_id as "transferId", t.amount::text, a.owner as "agentId", undo.idempotency_key as "reversedBy"
    from ledger.transfer t join ledger.account a on a.account_id = t.payee and a.book = 'agent'
    left join ledger.reversal r on r.reverses = t.transfer_id left join ledger.transfer undo on undo.transfer_id = r.transfer_id
    where t.idempotency_key = ${key}`.execute(tx);
  const [row] = rows;
  return row === undefined ? null : { ...row, amount: BigInt(row.amount) };
}

/** The transfer that was posted under a key; null where none was. */
export async function findTransfer(tx: Tx, key: string): Promise<string | null> {
  const { rows } = await sql<{
    id: string;
  }>`select transfer_id as id from ledger.transfer where idempotency_key = ${key}`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Locks a word until the transaction ends, so that acts on one thing of the outside world come one after the other. */
export async function lockWord(tx: Tx, word: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${word}, 0))`.execute(tx);
}
