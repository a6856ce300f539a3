import { formatAiDollars, type PurchaseItem, type PurchaseView } from '@hamlet/contract';
import { laneOf, priceOf } from '@hamlet/core';
import {
  announceBoosts,
  attempt,
  findAgentAccount,
  findPaidPurchase,
  findPurchase,
  holdMoney,
  insertPurchase,
  lockAccounts,
  readBars,
  readFunds,
  resolveHold,
  takeWindow,
  villageAccount,
} from '@hamlet/store';
import type { AgentAccount, LedgerRefusal, StoredItem, Tx } from '@hamlet/store';
import type { Caller } from '../../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import { recordAct, type Acting } from '../../audit/record-act.ts';
import { barsRuns } from '../../runs/work-limits.ts';
import { refusalOfHold } from '../ledger/refusal-of-hold.ts';
import { notForSale, pricesNow } from './gpu-supply.ts';
import { describeItem, purchaseView } from './purchase-view.ts';
import { circumstanceOf } from './trade-ports.ts';
import { timesOfPurchase, type PurchaseTimes } from './quote.ts';
import type { Village } from '../../village.ts';

type TradePorts = Pick<Village, 'source' | 'tiers' | 'prices' | 'gpus'>;

const HOLD_LASTS_MS = 60_000;

interface PurchaseAsked extends Caller {
  readonly idempotencyKey: string;
  readonly agentId: string;
  readonly item: PurchaseItem;
  readonly seconds: number;
  /** Micro-aiDollars; null accepts any price. */
  readonly maxPrice: bigint | null;
}

type Priced = PurchaseAsked & { readonly price: bigint };
type Paid =
  | { readonly ok: true; readonly purchaseId: string }
  | { readonly ok: false; readonly reason: LedgerRefusal | 'window_taken' };

function priceAsked(
  { item, seconds, maxPrice, agentId }: PurchaseAsked,
  { source, prices }: TradePorts,
  forSale: Village['prices'],
): Outcome<bigint> {
  const price = priceOf(item, seconds, forSale);
  if (price === null) return notForSale(item, seconds, prices);
  if (maxPrice !== null && price > maxPrice)
    return refused(
      'price_above_max',
      `It costs ${formatAiDollars(price)} aiDollars: raise max_price, or wait for a lower price`,
    );
  const tier = source.get(agentId)?.status.tier;
  const models = tier === undefined ? undefined : source.entitlement(tier)?.limits.models;
  if (item.kind === 'model' && models?.includes(item.model) === true)
    return refused('already_included', `the tier ${tier} already includes the model ${item.model}`);
  return accepted(price);
}

async function storedItem(
  tx: Tx,
  { item, agentId }: Priced,
  { times, prices }: { readonly times: PurchaseTimes; readonly prices: Village['prices'] },
): Promise<StoredItem | null> {
  if (item.kind !== 'gpu') return item;
  const lane = laneOf(prices, item.lane);
  if (lane === null) throw new Error(`GPU lane ${item.lane} has a price but is no longer on the price list`);
  const windowId = await takeWindow(tx, {
    devices: { lane: lane.lane, resourceName: lane.resource_name, count: lane.count },
    ...times,
    agentId,
  });
  return windowId === null ? null : { kind: 'gpu', windowId };
}

async function pay(
  tx: Tx,
  asked: Priced,
  {
    payer,
    payee,
    times,
    ports,
  }: { readonly payer: number; readonly payee: number; readonly times: PurchaseTimes; readonly ports: TradePorts },
): Promise<Paid> {
  const { actor, agentId, item, seconds, price } = asked;
  const by = { role: actor.role, id: actor.id };
  const about = circumstanceOf(asked);
  return attempt(tx, async (): Promise<Paid> => {
    const held = await holdMoney(tx, {
      payer,
      payee,
      amount: price,
      key: purchaseKey(asked),
      reason: 'purchase_compute',
      source: actor.id,
      note: describeItem(item, seconds),
      actor: by,
      about,
      expiresAt: new Date(times.now.getTime() + HOLD_LASTS_MS),
    });
    if (!held.ok) return held;
    const stored = await storedItem(tx, asked, { times, prices: ports.prices });
    if (stored === null) return { ok: false, reason: 'window_taken' };
    const posted = await resolveHold(tx, {
      holdId: held.holdId,
      outcome: 'posted',
      key: purchaseKey(asked),
      actor: by,
      about,
    });
    if (!posted.ok) return posted;
    if (posted.transferId === null) throw new Error(`hold ${held.holdId} was posted without a transfer`);
    const purchaseId = await insertPurchase(tx, {
      agentId,
      item: stored,
      ...times,
      price,
      holdId: held.holdId,
      transferId: posted.transferId,
      auctionId: null,
      by,
    });
    return { ok: true, purchaseId };
  });
}

/** The key belongs to the buyer permanently, so that a retry after days does not buy twice. */
function purchaseKey({ actor, idempotencyKey }: Pick<PurchaseAsked, 'actor' | 'idempotencyKey'>): string {
  return `purchase ${actor.id} ${idempotencyKey}`;
}

/** The purchase of an earlier request with the same key, even after the stored answer has expired. */
async function boughtBefore(tx: Tx, asked: PurchaseAsked): Promise<Outcome<PurchaseView> | null> {
  const known = await findPaidPurchase(tx, purchaseKey(asked));
  if (known === null) return null;
  const purchase = await findPurchase(tx, known.purchaseId);
  const same =
    purchase !== null && purchase.agentId === asked.agentId && known.note === describeItem(asked.item, asked.seconds);
  return same ? accepted(purchaseView(purchase)) : refused('idempotency_key_reused');
}

async function refusalOf(
  tx: Tx,
  { agentId, price, item }: Priced,
  failed: { readonly reason: LedgerRefusal | 'window_taken'; readonly account: AgentAccount },
): Promise<Refused> {
  if (failed.reason === 'window_taken')
    return refused(
      'window_taken',
      `${item.kind === 'gpu' ? item.lane : item.kind} is sold or offered for a part of that time: ask for another`,
    );
  return refusalOfHold(failed.reason, { agentId, asked: price, funds: await readFunds(tx, failed.account.accountId) });
}

export async function concludePurchase(
  tx: Tx,
  act: Acting,
  {
    purchaseId,
    agentId,
    tiers,
  }: { readonly purchaseId: string; readonly agentId: string; readonly tiers: Village['tiers'] },
): Promise<PurchaseView> {
  const row = await findPurchase(tx, purchaseId);
  if (row === null) throw new Error(`purchase ${purchaseId} does not exist any more`);
  const view = purchaseView(row);
  const { item, price, starts_at, ends_at, ledger_entry_id, auction_id } = view;
  await recordAct(tx, act, {
    action: 'purchase.buy',
    object: agentId,
    detail: { purchase_id: purchaseId, item, price, starts_at, ends_at, ledger_entry_id, auction_id },
  });
  await tiers.recompute(tx, [agentId]);
  if (row.state === 'active' && (row.kind === 'gpu' || row.kind === 'priority')) await announceBoosts(tx, [agentId]);
  return view;
}

export async function buyCompute(tx: Tx, asked: PurchaseAsked, ports: TradePorts): Promise<Outcome<PurchaseView>> {
  const { agentId, item } = asked;
  const before = await boughtBefore(tx, asked);
  if (before !== null) return before;
  if (ports.source.get(agentId) === null) return refused('no_such_agent');
  const bar = (await readBars(tx, [agentId])).get(agentId);
  if (barsRuns(bar)) return refused('agent_barred', `A measure of an admin bars ${agentId}: ${bar?.measure}`);
  const forSale = item.kind === 'gpu' ? await pricesNow(ports) : ports.prices;
  const priced = priceAsked(asked, ports, forSale);
  if (!priced.ok) return priced;
  const account = await findAgentAccount(tx, agentId);
  if (account === null)
    return refused('insufficient_funds', `${agentId} has no money yet; this costs ${formatAiDollars(priced.data)}`);
  const payee = await villageAccount(tx, 'compute');
  await lockAccounts(tx, [account.accountId, payee]);
  const times = await timesOfPurchase(tx, asked);
  if (!times.ok) return times;
  const purchase = { ...asked, price: priced.data };
  const paid = await pay(tx, purchase, { payer: account.accountId, payee, times: times.data, ports });
  if (!paid.ok) return refusalOf(tx, purchase, { reason: paid.reason, account });
  return accepted(await concludePurchase(tx, asked, { purchaseId: paid.purchaseId, agentId, tiers: ports.tiers }));
}
