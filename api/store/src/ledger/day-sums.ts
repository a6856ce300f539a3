import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** Sums of an agent in one day (`2026-11-30`), each at least 0, in micro-aiDollars. `lost`: by penalties and corrections. */
export interface DaySum {
  readonly day: string;
  readonly agentId: string;
  readonly received: bigint;
  readonly spent: bigint;
  readonly lost: bigint;
}

/** Estimated cost of an agent's requests to models in one day, in millionths of the currency. */
export interface DayCost {
  readonly day: string;
  readonly agentId: string;
  readonly currency: string;
  readonly micros: bigint;
}

interface Days {
  readonly since: Date;
  readonly timeZone: string;
}

type Raw<Row, Money extends keyof Row> = Omit<Row, Money> & Readonly<Record<Money, string>>;

/** A transfer has its id some moments before its time, at most this long. */
const ID_AGE = sql`interval '15 minutes'`;

/** Received, spent and lost money of the agents in each day of the time zone since an instant. Reads the transfers since then by their ids. */
export async function readDaySums(db: Db, { since, timeZone }: Days): Promise<readonly DaySum[]> {
  const { rows } = await sql<Raw<DaySum, 'received' | 'spent' | 'lost'>>`
    with made as materialized (
      select payer, payee, amount, created_at, reason in ('usage', 'purchase_compute') as buys
      from ledger.transfer
      where transfer_id >= ledger.first_id_of(${since}::timestamptz - ${ID_AGE}) and created_at >= ${since}::timestamptz),
    moved as (
      select payee as account_id, amount as received, 0 as spent, 0 as lost, created_at from made
      union all
      select payer, 0, case when buys then amount else 0 end, case when buys then 0 else amount end, created_at from made)
    select to_char(m.created_at at time zone ${timeZone}, 'YYYY-MM-DD') as day, a.owner as "agentId",
      sum(m.received)::text as received, sum(m.spent)::text as spent, sum(m.lost)::text as lost
    from moved m join ledger.account a on a.account_id = m.account_id and a.book = 'agent'
    group by 1, 2`.execute(db);
  return rows.map((row) => ({
    ...row,
    received: BigInt(row.received),
    spent: BigInt(row.spent),
    lost: BigInt(row.lost),
  }));
}

/** The estimated costs at providers in each day of the time zone since an instant; only requests whose price was known. */
export async function readDayCosts(db: Db, { since, timeZone }: Days): Promise<readonly DayCost[]> {
  const { rows } = await sql<Raw<DayCost, 'micros'>>`
    select to_char(ended_at at time zone ${timeZone}, 'YYYY-MM-DD') as day, agent_id as "agentId",
      provider_currency as currency, sum(provider_micros)::text as micros
    from model_request
    where ended_at >= ${since}::timestamptz and provider_currency is not null
    group by 1, 2, 3`.execute(db);
  return rows.map((row) => ({ ...row, micros: BigInt(row.micros) }));
}
