import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { asMoment, type Moment, firstRow } from '../connection/result-rows.ts';

/** Money of an account at a moment, in micro-aiDollars. `held` is the part of `balance` on hold. */
export interface Funds {
  readonly balance: bigint;
  readonly held: bigint;
  readonly asOf: Moment;
}

type FundsRow = Record<keyof Funds, string>;

const fundsOf = ({ balance, held, asOf }: FundsRow): Funds => ({ balance: BigInt(balance), held: BigInt(held), asOf });

/** Balances of agents in micro-aiDollars, holds included, without agents that have no account. */
export async function readBalances(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await sql<{ owner: string; balance: string }>`
    select owner, balance::text from ledger.account where book = 'agent' and owner = any (${agentIds as string[]}) and shard = 0
  `.execute(db);
  return new Map(rows.map(({ owner, balance }) => [owner, BigInt(balance)]));
}

export async function readFunds(db: Db, accountId: number): Promise<Funds> {
  const { rows } = await sql<FundsRow>`
    select balance::text, held::text, ${asMoment(sql`clock_timestamp()`)} as "asOf" from ledger.account where account_id = ${accountId}
  `.execute(db);
  return fundsOf(firstRow(rows, `account ${accountId} does not exist`));
}

/** Funds at a moment from `freezeMoment`. The cost grows with the changes since then, not with the history. */
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
  return fundsOf(firstRow(rows, `account ${accountId} does not exist`));
}

/** Allowance that a member has used on a day of the village (`2026-11-22`), in micro-aiDollars. */
export async function readAllowance(
  db: Db,
  { memberId, day }: { readonly memberId: string; readonly day: string },
): Promise<bigint> {
  const { rows } = await sql<{ used: string }>`
    select used::text from ledger.allowance where member_id = ${memberId} and day = ${day}::date`.execute(db);
  return BigInt(rows[0]?.used ?? '0');
}

/** The moment at which to read an account: `asked`, but at most now. Every change after this call gets a later time. */
export async function freezeMoment(db: Db, accountId: number, asked: Moment | null): Promise<Moment> {
  const frozen = sql`ledger.freeze(array[${accountId}::bigint], coalesce(${asked}::timestamptz, 'infinity'))`;
  const { rows } = await sql<{ moment: Moment }>`select ${asMoment(frozen)} as moment`.execute(db);
  return firstRow(rows, 'the ledger returned no moment').moment;
}
