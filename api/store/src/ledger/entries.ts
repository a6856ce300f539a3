import { type RawBuilder, sql } from 'kysely';
import type { EntryReason } from '@hamlet/contract';
import type { Db, Tx } from '../connection/database.ts';
import { asMoment, type Moment, firstRow } from '../connection/result-rows.ts';
import type { Circumstance } from './transfer-request.ts';

/** One entry of an account, with the fields of its transfer. Amounts in micro-aiDollars. */
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

/** A page of entries, newest first, as of a moment from `freezeMoment`; only those with a version below `before`. */
export async function readEntries(
  db: Db,
  accountId: number,
  page: { readonly asOf: Moment; readonly before: number | null; readonly limit: number },
): Promise<readonly EntryRow[]> {
  const condition = sql`e.account_id = ${accountId} and e.created_at <= ${page.asOf}::timestamptz and (${page.before}::bigint is null or e.version < ${page.before}::bigint)`;
  const { rows } = await sql<Raw>`${entriesOf(condition)} order by e.version desc limit ${page.limit}`.execute(db);
  return rows.map(entryOf);
}

/** The entries that transfers made in the account of an agent. */
export async function readEntriesOf(
  db: Db,
  agentId: string,
  transferIds: readonly string[],
): Promise<readonly EntryRow[]> {
  const condition = sql`(e.account_id, e.version) in (
    select a.account_id, case t.payer when a.account_id then t.payer_version else t.payee_version end
    from ledger.transfer t join ledger.account a on a.book = 'agent' and a.owner = ${agentId} and a.shard = 0
    where t.transfer_id = any(${[...transferIds]}::uuid[]))`;
  const { rows } = await sql<Raw>`${entriesOf(condition)}`.execute(db);
  return rows.map(entryOf);
}

/** A page of rewards and penalties of all agents, newest first; `before` is the last transfer of the page before. */
export async function readJudgements(
  db: Db,
  page: { readonly before: string | null; readonly limit: number },
): Promise<readonly (EntryRow & { readonly agentId: string })[]> {
  const { rows } = await sql<Raw & { agentId: string }>`
    select a.owner as "agentId", entry.* from (
      select transfer_id, case reason when 'reward' then payee else payer end as account_id,
        case reason when 'reward' then payee_version else payer_version end as version
      from ledger.transfer where reason in ('reward', 'penalty') and (${page.before}::uuid is null or transfer_id < ${page.before}::uuid)
      order by transfer_id desc limit ${page.limit}) made
    join ledger.account a on a.account_id = made.account_id and a.book = 'agent'
    cross join lateral (${entriesOf(sql`e.account_id = made.account_id and e.version = made.version`)}) entry
    order by made.transfer_id desc`.execute(db);
  return rows.map(({ agentId, ...raw }) => ({ agentId, ...entryOf(raw) }));
}

export async function findEntry(db: Db, accountId: number, transferId: string): Promise<EntryRow> {
  const condition = sql`(e.account_id, e.version) = (select case t.payer when ${accountId} then t.payer else t.payee end,
    case t.payer when ${accountId} then t.payer_version else t.payee_version end from ledger.transfer t where t.transfer_id = ${transferId}) and e.account_id = ${accountId}`;
  const { rows } = await entriesOf(condition).execute(db);
  return entryOf(firstRow(rows, `transfer ${transferId} made no entry in account ${accountId}`));
}

export async function findCircumstance(db: Db, id: string): Promise<Required<Circumstance> | null> {
  const { rows } = await sql<Required<Circumstance>>`
    select related_post_id as "relatedPostId", pod_uid as "podUid", run_id as "runId", image_digest as "imageDigest", traceparent
    from ledger.circumstance where id = ${id}
    union all
    select c.related_post_id, c.pod_uid, c.run_id, c.image_digest, c.traceparent
    from ledger.transfer t, jsonb_populate_record(null::ledger.circumstance, t.about) c where t.transfer_id = ${id} and t.about is not null
  `.execute(db);
  return rows[0] ?? null;
}

export interface KeyedTransfer {
  readonly transferId: string;
  /** Micro-aiDollars. */
  readonly amount: bigint;
  /** The agent that received the money. */
  readonly agentId: string;
  /** The key of the transfer that reversed this one; null if there is none. */
  readonly reversedBy: string | null;
}

export async function findCredit(tx: Tx, key: string): Promise<KeyedTransfer | null> {
  const { rows } = await sql<Omit<KeyedTransfer, 'amount'> & { readonly amount: string }>`
    select t.transfer_id as "transferId", t.amount::text, a.owner as "agentId", undo.idempotency_key as "reversedBy"
    from ledger.transfer t join ledger.account a on a.account_id = t.payee and a.book = 'agent'
    left join ledger.reversal r on r.reverses = t.transfer_id left join ledger.transfer undo on undo.transfer_id = r.transfer_id
    where t.idempotency_key = ${key}`.execute(tx);
  const [row] = rows;
  return row === undefined ? null : { ...row, amount: BigInt(row.amount) };
}

export async function findTransfer(tx: Tx, key: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select transfer_id as id from ledger.transfer where idempotency_key = ${key}`.execute(tx);
  return rows[0]?.id ?? null;
}
