import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** One payment as a provider lists it. */
export interface StatementLine {
  readonly transactionId: string;
  /** Decimal, in the provider's currency; below zero for what left. */
  readonly amount: string;
  readonly currency: string;
  readonly at: string;
  /** The payment that this one takes back. */
  readonly referenceId: string | null;
  readonly agentId: string | null;
}

/** A provider's list of a time. */
export interface Statement {
  readonly provider: string;
  readonly from: Date;
  /** The provider knew everything up to here. */
  readonly through: Date;
  readonly lines: readonly StatementLine[];
  readonly byId: string;
}

/** Writes a statement down: what is listed again is brought up to date. */
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

/** Last comparison with each provider. */
export async function readCoverage(db: Db): Promise<readonly Coverage[]> {
  const { rows } = await sql<Coverage>`
    select provider, min(compared_from) as "from", max(compared_through) as through, max(compared_at) as "comparedAt" from provider_statement group by provider order by provider
  `.execute(db);
  return rows;
}
