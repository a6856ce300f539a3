import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

export interface StatementLine {
  readonly transactionId: string;
  /** Decimal, in `currency`; negative for outgoing money. */
  readonly amount: string;
  readonly currency: string;
  readonly at: string;
  /** The payment that this line refunds or reverses. */
  readonly referenceId: string | null;
  readonly agentId: string | null;
}

export interface Statement {
  readonly provider: string;
  readonly from: Date;
  /** End of the period; the list is complete up to it. */
  readonly through: Date;
  readonly lines: readonly StatementLine[];
  readonly byId: string;
}

/** Stores a statement. A line that is stored already is updated. */
export async function keepStatement(tx: Tx, { provider, from, through, lines, byId }: Statement): Promise<void> {
  await sql`
    insert into provider_transaction (provider, transaction_id, amount, currency, at, reference_id, agent_id)
    select distinct on (l.transaction_id) ${provider}, l.transaction_id, l.amount, l.currency, l.at, l.reference_id, l.agent_id
    from jsonb_to_recordset(${JSON.stringify(
      lines.map((line) => ({
        transaction_id: line.transactionId,
        amount: line.amount,
        currency: line.currency,
        at: line.at,
        reference_id: line.referenceId,
        agent_id: line.agentId,
      })),
    )}::jsonb) l(transaction_id text, amount numeric, currency text, at timestamptz, reference_id text, agent_id text)
    order by l.transaction_id, l.at desc
    on conflict (provider, transaction_id) do update set amount = excluded.amount, currency = excluded.currency, at = excluded.at,
      reference_id = excluded.reference_id, agent_id = excluded.agent_id, seen_at = now()`.execute(tx);
  await tx
    .insertInto('provider_statement')
    .values({ provider, compared_from: from, compared_through: through, lines: lines.length, by_id: byId })
    .execute();
}

export interface Coverage {
  readonly provider: string;
  readonly from: Date;
  readonly through: Date;
  readonly comparedAt: Date;
}

export async function readCoverage(db: Db): Promise<readonly Coverage[]> {
  const { rows } = await sql<Coverage>`
    select provider, min(compared_from) as "from", max(compared_through) as through, max(compared_at) as "comparedAt" from provider_statement group by provider order by provider
  `.execute(db);
  return rows;
}
