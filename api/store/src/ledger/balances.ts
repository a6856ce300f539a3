import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { asMoment } from './moment.ts';
import type { Moment } from './moment.ts';

/** An account's money at a moment, in micro-aiDollars. `held` is set aside out of `balance`. */
export interface Funds {
  readonly balance: bigint;
  readonly held: bigint;
  readonly asOf: Moment;
}

interface FundsRow {
  readonly balance: string;
  readonly held: string;
  readonly asOf: Moment;
}

function fundsOf({ balance, held, asOf }: FundsRow): Funds {
  return { balance: BigInt(balance), held: BigInt(held), asOf };
}

/** What agents have, in micro-aiDollars; one without an account is left out. What is held counts: it is not spent yet. */
export async function readBalances(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await sql<{ owner: string; balance: string }>`
    select owner, balance::text from ledger.account where book = 'agent' and owner = any (${agentIds as string[]}) and shard = 0`.execute(
    db,
  );
  return new Map(rows.map(({ owner, balance }) => [owner, BigInt(balance)]));
}

/** What an account has now. */
export async function readFunds(db: Db, accountId: number): Promise<Funds> {
  const { rows } = await sql<FundsRow>`
    select balance::text, held::text, ${asMoment(sql`clock_timestamp()`)} as "asOf" from ledger.account where account_id = ${accountId}`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`no account ${accountId}`);
  return fundsOf(row);
}

/**
 * What an account had at a frozen moment. What was held then is what is held now, less what was set aside since, and with what was freed since: the
 * cost is in proportion to what came after the moment, not to all that ever was.
 */
export async function readFundsAt(db: Db, accountId: number, asOf: Moment): Promise<Funds> {
  const { rows } = await sql<FundsRow>`
    select ${asMoment(sql`${asOf}::timestamptz`)} as "asOf",
      coalesce((select e.balance_after from ledger.entry e where e.account_id = ${accountId} and e.created_at <= ${asOf}::timestamptz order by e.version desc limit 1), 0)::text as balance,
      (a.held
        - coalesce((select sum(h.amount) from ledger.open_hold o join ledger.hold h using (hold_id)
          where o.payer = ${accountId} and h.created_at > ${asOf}::timestamptz), 0)
        + coalesce((select sum(h.amount) from ledger.resolution r join ledger.hold h using (hold_id)
          where r.created_at > ${asOf}::timestamptz and h.payer = ${accountId} and h.created_at <= ${asOf}::timestamptz), 0))::text as held
    from ledger.account a where a.account_id = ${accountId}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error(`no account ${accountId}`);
  return fundsOf(row);
}
