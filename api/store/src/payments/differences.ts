import type { DifferenceKind } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import { type Db, lockName, type Tx } from '../connection/database.ts';

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

interface Statement {
  readonly provider: string;
  readonly from: Date;
  /** End of the period; the list is complete up to it. */
  readonly through: Date;
  readonly lines: readonly StatementLine[];
  readonly byId: string;
}

/** Stores a statement, updating known lines. */
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

/** Micro-aiDollars per unit of the currency. A payment in any other currency counts as a difference. */
export interface Rate {
  readonly currency: string;
  readonly ratePerUnit: bigint;
}

export interface DifferenceRow {
  readonly differenceId: string;
  readonly kind: DifferenceKind;
  readonly provider: string;
  readonly transactionId: string;
  readonly agentId: string | null;
  /** Credited micro-aiDollars, less refunds and reversals; null if the village knows no such payment. */
  readonly ours: bigint | null;
  readonly theirs: { readonly amount: string; readonly currency: string } | null;
  readonly owner: string;
  readonly foundAt: Date;
  readonly ageS: number;
  readonly explanation: string | null;
  readonly explainedBy: string | null;
}

/** Incoming payments in a provider's statements, less refunds and reversals. */
const THEIRS = sql`
  select t.provider, t.transaction_id, t.currency, t.at, t.agent_id, t.amount + coalesce((
    select sum(back.amount) from provider_transaction back where back.provider = t.provider and back.reference_id = t.transaction_id and back.currency = t.currency), 0) as net
  from provider_transaction t where t.reference_id is null and t.amount > 0`;

/** Credits to compare: those that last changed within the period of a statement (`covered`). */
const OURS = sql`
  select d.provider, d.transaction_id, d.agent_id, d.net, d.requested_by, d.origin, exists (
    select 1 from provider_statement s where s.provider = d.provider and d.changed_at between s.compared_from and s.compared_through) as covered
  from deposit d where d.state = 'credited'`;

function differing({ currency, ratePerUnit }: Rate): RawBuilder<unknown> {
  return sql`
    select coalesce(o.provider, t.provider) as provider, coalesce(o.transaction_id, t.transaction_id) as transaction_id,
      case when t.transaction_id is null then 'only_ours' when o.transaction_id is null then 'only_theirs' else 'amount_differs' end as kind,
      case when o.origin = 'manual' then o.requested_by else 'admins' end as owner
    from (${OURS}) o full join (${THEIRS}) t on t.provider = o.provider and t.transaction_id = o.transaction_id
    where case when t.transaction_id is null then o.covered when o.transaction_id is null then t.net > 0
      else o.covered and (t.currency <> ${currency} or trunc(t.net * ${String(ratePerUnit)}::bigint) <> o.net) end`;
}

/** Opens and settles differences between the ledger and the statements. Returns the number of open ones. */
export async function compareBooks(tx: Tx, rate: Rate): Promise<number> {
  await lockName(tx, 'reconciliation');
  const { rows } = await sql<{ open: number }>`
    with found as materialized (${differing(rate)}),
    settled as (
      update difference d set settled_at = now() where settled_at is null
        and not exists (select 1 from found f where f.provider = d.provider and f.transaction_id = d.transaction_id)),
    opened as (
      insert into difference as d (kind, provider, transaction_id, owner) select kind, provider, transaction_id, owner from found
      on conflict (provider, transaction_id) where settled_at is null do update set kind = excluded.kind where d.kind <> excluded.kind)
    select count(*) as open from found`.execute(tx);
  return rows[0]?.open ?? 0;
}

interface Row extends Omit<DifferenceRow, 'ours' | 'theirs'> {
  readonly ours: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
}

/** The open differences, oldest first, at most 1,000, or only the one with an id. */
export async function readDifferences(db: Db, only: string | null = null): Promise<readonly DifferenceRow[]> {
  const { rows } = await sql<Row>`
    select d.difference_id as "differenceId", d.kind, d.provider, d.transaction_id as "transactionId", coalesce(o.agent_id, t.agent_id) as "agentId", o.net::text as ours,
      trim_scale(t.net)::text as amount, t.currency, d.owner, d.found_at as "foundAt", floor(extract(epoch from now() - d.found_at))::int as "ageS", d.explanation,
      d.explained_by as "explainedBy"
    from difference d left join (${OURS}) o on o.provider = d.provider and o.transaction_id = d.transaction_id
    left join (${THEIRS}) t on t.provider = d.provider and t.transaction_id = d.transaction_id
    where d.settled_at is null and (${only}::uuid is null or d.difference_id = ${only}::uuid) order by d.found_at, d.difference_id limit 1000
  `.execute(db);
  return rows.map(({ amount, currency, ours, ...row }) => ({
    ...row,
    ours: ours === null ? null : BigInt(ours),
    theirs: amount === null || currency === null ? null : { amount, currency },
  }));
}

/** Sets the owner, the explanation or both. False if no open difference has this id. */
export async function changeDifferenceRow(
  tx: Tx,
  differenceId: string,
  {
    owner,
    explanation,
    by,
  }: { readonly owner: string | null; readonly explanation: string | null; readonly by: string },
): Promise<boolean> {
  const { rows } = await sql`
    update difference set owner = coalesce(${owner}, owner), explanation = coalesce(${explanation}, explanation),
      explained_by = case when ${explanation}::text is null then explained_by else ${by} end
    where difference_id = ${differenceId} and settled_at is null returning 1`.execute(tx);
  return rows.length > 0;
}

export async function measureDifferences(db: Db): Promise<{ readonly open: number; readonly oldestS: number }> {
  const { rows } = await sql<{ open: number; oldestS: number }>`
    select count(*) as open, coalesce(floor(extract(epoch from now() - min(found_at)))::int, 0) as "oldestS" from difference
    where settled_at is null and explanation is null`.execute(db);
  return rows[0] ?? { open: 0, oldestS: 0 };
}
