import { formatAiDollars, type Limits, type NextTier, type PurchaseItem, type QuoteAnswer } from '@hamlet/contract';
import { effectiveLimits, laneOf, nextTier, priceOf, tierChanges, tierOfBalance, windowFault } from '@hamlet/core';
import type { ActivePurchase } from '@hamlet/core';
import {
  activePurchases,
  findAgentAccount,
  isWindowFree,
  readFunds,
  readPurchases,
  readTiers,
  databaseNow,
  lastsUntil,
} from '@hamlet/store';
import type { Db } from '@hamlet/store';
import type { AgentRecord, AgentSource } from '../../agents/agent-source.ts';
import { limitsOf } from '../../agents/describe-agent.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { balanceTiers } from '../../standing/balance-tier-sync.ts';
import { notForSale, pricesNow } from './gpu-supply.ts';
import { purchaseView } from './purchase-view.ts';
import type { Village } from '../../village.ts';

type QuotePorts = Pick<Village, 'db' | 'source' | 'prices' | 'gpus'>;

const SHOWN_MAX = 100;

interface QuoteAsked {
  readonly agentId: string | null;
  readonly item: PurchaseItem | null;
  readonly seconds: number;
}

interface Offer {
  readonly item: PurchaseItem;
  readonly price: bigint;
  readonly times: PurchaseTimes;
}

interface Means {
  readonly record: AgentRecord;
  readonly balance: bigint;
  readonly held: bigint;
  readonly balanceTier: string | null;
  readonly bought: readonly ActivePurchase[];
  readonly nowMs: number;
}

async function offerOf(
  { db, prices }: QuotePorts,
  { agentId, item, seconds }: QuoteAsked,
  forSale: Village['prices'],
): Promise<Outcome<Offer | null>> {
  if (item === null) return accepted(null);
  const price = priceOf(item, seconds, forSale);
  if (price === null) return notForSale(item, seconds, prices);
  const times = await timesOfPurchase(db, { agentId, item, seconds });
  return times.ok ? accepted({ item, price, times: times.data }) : times;
}

async function itemPart(
  { db, prices }: QuotePorts,
  { item, price, times }: Offer,
  seconds: number,
): Promise<QuoteAnswer['item']> {
  const { startsAt, endsAt } = times;
  const lane = item.kind === 'gpu' ? laneOf(prices, item.lane) : null;
  const free = item.kind !== 'gpu' || (await isWindowFree(db, item.lane, times));
  const shown = item.kind === 'gpu' ? (lane === null ? null : { kind: item.kind, ...lane }) : item;
  if (shown === null) throw new Error('the GPU lane was priced, but the price list has no such lane');
  return {
    item: shown,
    seconds,
    starts_at: startsAt.toISOString(),
    ends_at: endsAt.toISOString(),
    price: formatAiDollars(price),
    free,
  };
}

async function meansOf({ db }: QuotePorts, record: AgentRecord): Promise<Means> {
  const { agentId } = record;
  const account = await findAgentAccount(db, agentId);
  const funds = account === null ? { balance: 0n, held: 0n } : await readFunds(db, account.accountId);
  const [tier] = await readTiers(db, [agentId]);
  const { readAtMs, of } = await activePurchases(db, [agentId]);
  return {
    record,
    balance: funds.balance,
    held: funds.held,
    balanceTier: tier?.balanceTier ?? record.status.tier ?? null,
    bought: of(agentId),
    nowMs: readAtMs,
  };
}

function limitsAt(
  source: AgentSource,
  tier: string | null,
  { bought, atMs }: { readonly bought: readonly ActivePurchase[]; readonly atMs: number },
): Limits | null {
  return effectiveLimits(limitsOf(tier === null ? null : source.entitlement(tier)), bought, atMs);
}

const isPinned = ({ spec }: AgentRecord): boolean => spec.entitlement.policy === 'Pinned';

function prospective({ item, times }: Offer): ActivePurchase {
  const lasts = { fromMs: times.startsAt.getTime(), untilMs: times.endsAt.getTime() };
  switch (item.kind) {
    case 'quota':
      return { ...lasts, kind: item.kind, limit: item.limit, amount: item.amount };
    case 'model':
      return { ...lasts, kind: item.kind, model: item.model };
    case 'priority':
    case 'gpu':
      return { ...lasts, kind: item.kind };
  }
}

type AgentPart = NonNullable<QuoteAnswer['agent']>;

function afterBuying(source: AgentSource, means: Means, offer: Offer): AgentPart['after'] {
  const { record, balance, held, balanceTier, bought, nowMs } = means;
  const left = balance - offer.price;
  const available = balance - held;
  const tier = isPinned(record) ? (record.status.tier ?? null) : tierOfBalance(balanceTiers(source), left, balanceTier);
  return {
    affordable: available >= offer.price,
    missing: formatAiDollars(available >= offer.price ? 0n : offer.price - available),
    balance: formatAiDollars(left),
    available: formatAiDollars(available - offer.price),
    tier,
    limits: limitsAt(source, tier, {
      bought: [...bought, prospective(offer)],
      atMs: Math.max(nowMs, offer.times.startsAt.getTime()),
    }),
  };
}

function nextOf(source: AgentSource, { record, balance, balanceTier }: Means): NextTier | null {
  const tier = isPinned(record) ? null : nextTier(source.entitlements(), balance, balanceTier);
  if (tier === null) return null;
  const { name, spec } = tier;
  const present = balanceTier === null ? null : source.entitlement(balanceTier);
  const [threshold] = balanceTiers(source).flatMap((each) => (each.name === name ? [each.minBalance] : []));
  if (threshold === undefined) throw new Error(`tier ${name} has no threshold`);
  return {
    tier: name,
    min_balance: formatAiDollars(threshold),
    missing: formatAiDollars(threshold - balance),
    changes: [...tierChanges(present, spec)],
  };
}

async function agentPart(ports: QuotePorts, record: AgentRecord, offer: Offer | null): Promise<AgentPart> {
  const { db, source } = ports;
  const { agentId, spec, status } = record;
  const means = await meansOf(ports, record);
  const { purchases } = await readPurchases(db, { agentId, state: 'active' }, { before: null, limit: SHOWN_MAX });
  return {
    agent_id: agentId,
    balance: formatAiDollars(means.balance),
    held: formatAiDollars(means.held),
    available: formatAiDollars(means.balance - means.held),
    tier: status.tier ?? null,
    policy: spec.entitlement.policy,
    limits: limitsAt(source, status.tier ?? null, { bought: means.bought, atMs: means.nowMs }),
    purchases: purchases.map(purchaseView),
    after: offer === null ? null : afterBuying(source, means, offer),
    next: nextOf(source, means),
  };
}

export async function quote(asked: QuoteAsked, ports: QuotePorts, now: Date): Promise<Outcome<QuoteAnswer>> {
  const forSale = await pricesNow(ports);
  const record = asked.agentId === null ? null : ports.source.get(asked.agentId);
  if (asked.agentId !== null && record === null) return refused('no_such_agent');
  const offer = await offerOf(ports, asked, forSale);
  if (!offer.ok) return offer;
  return accepted({
    as_of: (offer.data?.times.now ?? now).toISOString(),
    price_list: forSale,
    item: offer.data === null ? null : await itemPart(ports, offer.data, asked.seconds),
    agent: record === null ? null : await agentPart(ports, record, offer.data),
  });
}

const SECOND_MS = 1_000;

export interface PurchaseTimes {
  readonly now: Date;
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/** A second purchase of a model or priority begins when the first ends, because both at once would add nothing. */
async function startOf(
  db: Db,
  { agentId, item, now }: { readonly agentId: string | null; readonly item: PurchaseItem; readonly now: Date },
): Promise<Date> {
  if (item.kind === 'gpu') return item.starts_at === undefined ? now : new Date(item.starts_at);
  if (item.kind === 'quota' || agentId === null) return now;
  return (await lastsUntil(db, agentId, item)) ?? now;
}

export async function timesOfPurchase(
  db: Db,
  bought: { readonly agentId: string | null; readonly item: PurchaseItem; readonly seconds: number },
): Promise<Outcome<PurchaseTimes>> {
  const now = await databaseNow(db);
  const startsAt = await startOf(db, { ...bought, now });
  const endsAt = new Date(startsAt.getTime() + bought.seconds * SECOND_MS);
  const fault = windowFault({ startsMs: startsAt.getTime(), endsMs: endsAt.getTime() }, now.getTime());
  return fault === null ? accepted({ now, startsAt, endsAt }) : refused('window_out_of_range', fault);
}
