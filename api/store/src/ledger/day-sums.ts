import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** Sums of an agent in a span of time, each at least 0, in micro-aiDollars. `lost`: by penalties and corrections. */
export interface DaySum {
  readonly agentId: string;
  readonly received: bigint;
  readonly spent: bigint;
  readonly lost: bigint;
}

/** Estimated cost of an agent's requests to models in a span of time, in millionths of the currency. */
export interface DayCost {
  readonly agentId: string;
  readonly currency: string;
  readonly micros: bigint;
}

/** From `since` until before `until`: a day of the village. */
interface Span {
  readonly since: Date;
  readonly until: Date;
}

type Raw<Row, Money extends keyof Row> = Omit<Row, Money> & Readonly<Record<Money, string>>;

/** A transfer has its id some moments before its time, at most this long. */
const ID_AGE = sql`interval '15 minutes'`;

/** Received, spent and lost money of the agents in a span. Reads its transfers by their ids. */
export async function readDaySums(db: Db, { since, until }: Span): Promise<readonly DaySum[]> {
  const { rows } = await sql<Raw<DaySum, 'received' | 'spent' | 'lost'>>`
    with made as materialized (
      select payer, payee, amount, reason in ('usage', 'purchase_compute') as buys
      from ledger.transfer
      where transfer_id >= ledger.first_id_of(${since}::timestamptz - ${ID_AGE})
        and transfer_id < ledger.first_id_of(${until}::timestamptz)
        and created_at >= ${since}::timestamptz and created_at < ${until}::timestamptz),
    moved as (
      select payee as account_id, sum(amount) as received, 0 as spent, 0 as lost from made group by 1
      union all
      select payer, 0, coalesce(sum(amount) filter (where buys), 0), coalesce(sum(amount) filter (where not buys), 0)
      from made group by 1)
    select a.owner as "agentId", sum(m.received)::text as received, sum(m.spent)::text as spent, sum(m.lost)::text as lost
    from moved m join ledger.account a on a.account_id = m.account_id and a.book = 'agent'
    group by 1`.execute(db);
  return rows.map((row) => ({
    ...row,
    received: BigInt(row.received),
    spent: BigInt(row.spent),
    lost: BigInt(row.lost),
  }));
}

/** The estimated costs at providers in a span; only requests whose price was known. */
export async function readDayCosts(db: Db, { since, until }: Span): Promise<readonly DayCost[]> {
  const { rows } = await sql<Raw<DayCost, 'micros'>>`
    select agent_id as "agentId", provider_currency as currency, sum(provider_micros)::text as micros
    from model_request
    where ended_at >= ${since}::timestamptz and ended_at < ${until}::timestamptz and provider_currency is not null
    group by 1, 2`.execute(db);
  return rows.map((row) => ({ ...row, micros: BigInt(row.micros) }));
}
