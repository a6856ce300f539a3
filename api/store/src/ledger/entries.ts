import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { EntryReason } from '@hamlet/contract';
import type { Db } from '../connection/database.ts';
import { asMoment } from './moment.ts';
import type { Moment } from './moment.ts';

/** One entry of an account, with what its transfer says. Amounts in micro-aiDollars. */
export interface EntryRow {
  readonly transferId: string;
  readonly version: number;
  readonly amount: bigint;
  readonly balanceAfter: bigint;
  readonly reason: EntryReason;
  readonly source: string;
  readonly note: string;
  readonly relatedPostId: string | null;
  readonly createdAt: Moment;
}

type Raw = Omit<EntryRow, 'amount' | 'balanceAfter'> & { readonly amount: string; readonly balanceAfter: string };

function entriesOf(condition: RawBuilder<unknown>): RawBuilder<Raw> {
  return sql<Raw>`
    select e.transfer_id as "transferId", e.version, e.amount::text, e.balance_after::text as "balanceAfter", t.reason, t.source, t.note,
      coalesce(c.related_post_id::text, t.about ->> 'related_post_id') as "relatedPostId", ${asMoment(sql`e.created_at`)} as "createdAt"
    from ledger.entry e join ledger.transfer t using (transfer_id) left join ledger.circumstance c on c.id = e.transfer_id
    where ${condition}`;
}

function entryOf(raw: Raw): EntryRow {
  return { ...raw, amount: BigInt(raw.amount), balanceAfter: BigInt(raw.balanceAfter) };
}

/** A page of an account's entries, newest first, as they were at a frozen moment. `before` is a version: the page begins below it. */
export async function readEntries(
  db: Db,
  accountId: number,
  page: { readonly asOf: Moment; readonly before: number | null; readonly limit: number },
): Promise<readonly EntryRow[]> {
  const condition = sql`e.account_id = ${accountId} and e.created_at <= ${page.asOf}::timestamptz and (${page.before}::bigint is null or e.version < ${page.before}::bigint)`;
  const { rows } = await sql<Raw>`${entriesOf(condition)} order by e.version desc limit ${page.limit}`.execute(db);
  return rows.map(entryOf);
}

/** The entry that a transfer made in an account. */
export async function findEntry(db: Db, accountId: number, transferId: string): Promise<EntryRow> {
  const condition = sql`(e.account_id, e.version) = (select case t.payer when ${accountId} then t.payer else t.payee end,
    case t.payer when ${accountId} then t.payer_version else t.payee_version end from ledger.transfer t where t.transfer_id = ${transferId}) and e.account_id = ${accountId}`;
  const { rows } = await entriesOf(condition).execute(db);
  const [raw] = rows;
  if (raw === undefined) throw new Error(`transfer ${transferId} made no entry in account ${accountId}`);
  return entryOf(raw);
}
