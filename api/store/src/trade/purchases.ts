import type { PurchaseKind, Quota } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { cutPage, firstRow } from '../connection/result-rows.ts';
import type { LedgerActor } from '../ledger/transfer-request.ts';

export type StoredItem =
  | { readonly kind: 'quota'; readonly limit: Quota; readonly amount: number }
  | { readonly kind: 'priority' }
  | { readonly kind: 'model'; readonly model: string }
  | { readonly kind: 'gpu'; readonly windowId: string };

interface NewPurchase {
  readonly agentId: string;
  readonly item: StoredItem;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Micro-aiDollars. */
  readonly price: bigint;
  readonly holdId: string;
  readonly transferId: string;
  readonly auctionId: string | null;
  readonly by: LedgerActor;
}

export interface BoughtDevices {
  readonly lane: string;
  readonly resourceName: string;
  readonly count: number;
}

/** A purchase. `state` is as of the read, by the database's clock. */
export interface PurchaseRow extends Omit<NewPurchase, 'item' | 'by' | 'holdId'> {
  readonly purchaseId: string;
  readonly kind: PurchaseKind;
  readonly quota: Quota | null;
  readonly amount: number | null;
  readonly model: string | null;
  readonly devices: BoughtDevices | null;
  readonly state: 'ahead' | 'active' | 'ended';
  readonly byRole: string;
  readonly byId: string;
  readonly boughtAt: Date;
}

type Raw = Omit<PurchaseRow, 'price'> & { readonly price: string };

const STATE = sql`case when upper(p.during) <= clock_timestamp() then 'ended' when lower(p.during) <= clock_timestamp() then 'active' else 'ahead' end`;

function purchasesWhere(condition: RawBuilder<unknown>, rest: RawBuilder<unknown>): RawBuilder<Raw> {
  return sql<Raw>`
    select p.purchase_id as "purchaseId", p.agent_id as "agentId", p.kind, p.quota, p.amount, p.model,
      case when w.window_id is not null then jsonb_build_object('lane', w.lane, 'resourceName', w.resource_name, 'count', w.count) end as devices,
      lower(p.during) as "startsAt", upper(p.during) as "endsAt", p.price::text, p.transfer_id as "transferId", p.auction_id as "auctionId", ${STATE} as state,
      p.bought_by_role as "byRole", p.bought_by_id as "byId", p.bought_at as "boughtAt"
    from purchase p left join gpu_window w using (window_id) where ${condition} ${rest}`;
}

const purchaseOf = (raw: Raw): PurchaseRow => ({ ...raw, price: BigInt(raw.price) });

/** Writes a paid purchase and returns its id. If it begins now, the caller announces it with `announceBoosts`. */
export async function insertPurchase(
  tx: Tx,
  { agentId, item, startsAt, endsAt, price, holdId, transferId, auctionId, by }: NewPurchase,
): Promise<string> {
  const quota = item.kind === 'quota' ? item : null;
  const { rows } = await sql<{ purchaseId: string }>`
    insert into purchase (agent_id, kind, quota, amount, model, window_id, during, price, hold_id, transfer_id, auction_id, bought_by_role, bought_by_id, told)
    values (${agentId}, ${item.kind}, ${quota?.limit ?? null}, ${quota?.amount ?? null}, ${item.kind === 'model' ? item.model : null}, ${item.kind === 'gpu' ? item.windowId : null},
      tstzrange(${startsAt}, ${endsAt}), ${String(price)}, ${holdId}, ${transferId}, ${auctionId}, ${by.role}, ${by.id},
      case when ${startsAt}::timestamptz <= clock_timestamp() then 'begun' else 'nothing' end)
    returning purchase_id as "purchaseId"`.execute(tx);
  return firstRow(rows, 'the purchase was not written').purchaseId;
}

export async function findPurchase(db: Db, purchaseId: string): Promise<PurchaseRow | null> {
  const { rows } = await purchasesWhere(sql`p.purchase_id = ${purchaseId}`, sql``).execute(db);
  return rows[0] === undefined ? null : purchaseOf(rows[0]);
}

export async function readPurchasesById(db: Db, purchaseIds: readonly string[]): Promise<readonly PurchaseRow[]> {
  const { rows } = await purchasesWhere(sql`p.purchase_id = any(${[...purchaseIds]}::uuid[])`, sql``).execute(db);
  return rows.map(purchaseOf);
}

/** The purchase paid under a key, with the note of its hold. */
export async function findPaidPurchase(
  db: Db,
  key: string,
): Promise<{ readonly purchaseId: string; readonly note: string } | null> {
  const { rows } = await sql<{ purchaseId: string; note: string }>`
    select p.purchase_id as "purchaseId", h.note from ledger.hold h join purchase p using (hold_id) where h.idempotency_key = ${key}
  `.execute(db);
  return rows[0] ?? null;
}

/** `before` is the last id of the previous page. */
export async function readPurchases(
  db: Db,
  { agentId, state }: Readonly<{ agentId: string | undefined; state: PurchaseRow['state'] | undefined }>,
  page: { readonly before: string | null; readonly limit: number },
): Promise<{ readonly purchases: readonly PurchaseRow[]; readonly next: string | null }> {
  const condition = sql`(${agentId ?? null}::text is null or p.agent_id = ${agentId ?? null}) and (${state ?? null}::text is null or ${STATE} = ${state ?? null})
    and (${page.before}::uuid is null or p.purchase_id < ${page.before}::uuid)`;
  const { rows } = await purchasesWhere(condition, sql`order by p.purchase_id desc limit ${page.limit + 1}`).execute(
    db,
  );
  const { rows: shown, next } = cutPage(rows.map(purchaseOf), page.limit, ({ purchaseId }) => purchaseId);
  return { purchases: shown, next };
}

/** Time until which an agent has bought a model or priority; null if it has no present or future purchase. */
export async function lastsUntil(
  db: Db,
  agentId: string,
  item: { readonly kind: 'priority' } | { readonly kind: 'model'; readonly model: string },
): Promise<Date | null> {
  const model = item.kind === 'model' ? item.model : null;
  const { rows } = await sql<{ until: Date | null }>`
    select max(upper(during)) as until from purchase
    where agent_id = ${agentId} and kind = ${item.kind} and model is not distinct from ${model} and during && tstzrange(clock_timestamp(), null)
  `.execute(db);
  return rows[0]?.until ?? null;
}

interface NewWindow {
  readonly devices: BoughtDevices;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Null while an auction offers the window. */
  readonly agentId: string | null;
}

/**
 * Reserves a window and returns its id; null if the period overlaps another one. An exclusion constraint decides between concurrent calls.
 */
export async function takeWindow(tx: Tx, { devices, startsAt, endsAt, agentId }: NewWindow): Promise<string | null> {
  const { rows } = await sql<{ windowId: string }>`
    insert into gpu_window (lane, resource_name, count, during, state, agent_id)
    values (${devices.lane}, ${devices.resourceName}, ${devices.count}, tstzrange(${startsAt}, ${endsAt}), ${agentId === null ? 'offered' : 'sold'}, ${agentId})
    on conflict do nothing returning window_id as "windowId"`.execute(tx);
  return rows[0]?.windowId ?? null;
}

/** True if a lane is neither sold nor offered in a period. Only {@link takeWindow} reserves it. */
export async function isWindowFree(
  db: Db,
  lane: string,
  { startsAt, endsAt }: Pick<NewWindow, 'startsAt' | 'endsAt'>,
): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select not exists (select from gpu_window where lane = ${lane} and during && tstzrange(${startsAt}, ${endsAt}) and state <> 'withdrawn') as free
  `.execute(db);
  return rows[0]?.free === true;
}

/** Ends the offer of a window: sells it to an agent, or frees it if `agentId` is null. */
export async function endOffer(tx: Tx, windowId: string, agentId: string | null): Promise<void> {
  const state = agentId === null ? 'withdrawn' : 'sold';
  await sql`update gpu_window set state = ${state}, agent_id = ${agentId} where window_id = ${windowId}`.execute(tx);
}

/** True if an agent had bought a model at some time since the start of its run. */
export async function hadModelInRun(
  db: Db,
  { agentId, runId, model }: { readonly agentId: string; readonly runId: string; readonly model: string },
): Promise<boolean> {
  const { rows } = await sql<{ readonly had: boolean }>`
    select exists (
      select from purchase join run using (agent_id) where agent_id = ${agentId} and run_id = ${runId}
        and purchase.kind = 'model' and purchase.model = ${model} and during && tstzrange(started_at, null)) as had`.execute(
    db,
  );
  return rows[0]?.had === true;
}
