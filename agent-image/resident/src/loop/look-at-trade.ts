import type { AgentConfig, AuctionView, QuoteAnswer } from '@hamlet/contract';
import { formatAiDollars, parseAiDollars } from '@hamlet/contract/resident';
import { compareText } from '@hamlet/core/compare-text';
import { wantsReply } from '../brain/board/may-reply.ts';
import type { Offer, PlannedBid, Situation, TradeSight, Want } from '../brain/situation.ts';
import { bidOf, buys, looksAgain, mayBuy, wantOf } from '../brain/trade.ts';
import type { Village } from '../village/village.ts';

const HOUR_MS = 3_600_000;

type TradingVillage = Pick<Village, 'quote' | 'auctions'>;
type Funds = NonNullable<QuoteAnswer['agent']>;

/** Reads prices, auctions and a quote for the purchase that the agent wants. A later turn repeats failed reads. */
export async function lookAtTrade(
  village: TradingVillage,
  situation: Situation,
  config: Pick<AgentConfig, 'limits'>,
): Promise<TradeSight | null> {
  const [prices, auctions] = await Promise.all([village.quote({}), village.auctions()]);
  if (prices.kind !== 'ok' || prices.value.agent === null) return null;
  const want = wantIn(situation, config, prices.value);
  const [offer, bid] = await Promise.all([
    want === null ? null : offerOf(village, want),
    auctions.kind === 'ok' ? plannedBid(village, auctions.value, prices.value) : null,
  ]);
  return { offer, bid };
}

function personWaits(situation: Situation): boolean {
  return (
    situation.board?.news.some(
      (news) => (news.reply ?? news.post).author_type !== 'agent' && wantsReply(situation, news),
    ) ?? false
  );
}

export function isTimeToTrade(situation: Situation): boolean {
  const { board, wake, mind, tick } = situation;
  if (board === null || wake !== null) return false;
  return looksAgain(mind.trade, tick) || (mayBuy(mind.trade, tick) && personWaits(situation));
}

function wantIn(
  situation: Situation,
  { limits }: Pick<AgentConfig, 'limits'>,
  { price_list: prices }: QuoteAnswer,
): Want | null {
  const { board, mind, tick } = situation;
  if (board === null || board.plan === null || limits === null || !mayBuy(mind.trade, tick)) return null;
  return wantOf({
    needs: board.requests.map(({ subject }) => subject),
    limits,
    model: board.plan.model,
    prices,
    personWaits: personWaits(situation),
  });
}

async function offerOf(village: TradingVillage, want: Want): Promise<Offer | null> {
  const { item, seconds, oneIn } = want;
  const answer = await village.quote({ ...item, seconds });
  if (answer.kind !== 'ok') return null;
  const { item: quoted, agent } = answer.value;
  if (quoted === null || agent === null || agent.after === null) return null;
  const [price, available] = [parseAiDollars(quoted.price), parseAiDollars(agent.available)];
  const isBought = buys({ price, available, tier: agent.tier, tierAfter: agent.after.tier }, oneIn);
  return isBought ? { want, price: quoted.price } : null;
}

/** The bid in the suitable auction that closes first; null if paying the list price would cost the agent its tier. */
async function plannedBid(
  village: TradingVillage,
  auctions: readonly AuctionView[],
  { as_of, price_list, agent }: QuoteAnswer,
): Promise<PlannedBid | null> {
  if (agent === null) return null;
  const inBids = auctions.reduce(
    (sum, { own_bid }) => sum + (own_bid === null ? 0n : parseAiDollars(own_bid.amount)),
    0n,
  );
  const purse = {
    available: parseAiDollars(agent.available),
    inBids,
    nowMs: Date.parse(as_of),
    gpuHour: parseAiDollars(price_list.gpu.per_hour),
  };
  for (const auction of auctions.toSorted(
    (a, b) => Date.parse(a.closes_at) - Date.parse(b.closes_at) || compareText(a.auction_id, b.auction_id),
  )) {
    const amount = bidOf(seen(auction), purse);
    if (amount !== null) return keepsTier(village, auction, { agent, amount });
  }
  return null;
}

function seen({ state, starts_at, ends_at, closes_at, reserve, own_bid }: AuctionView): Parameters<typeof bidOf>[0] {
  return {
    state,
    startsAtMs: Date.parse(starts_at),
    endsAtMs: Date.parse(ends_at),
    closesAtMs: Date.parse(closes_at),
    reserve: parseAiDollars(reserve),
    ownBid: own_bid === null ? null : parseAiDollars(own_bid.amount),
  };
}

/** Returns the bid if the agent keeps its tier after paying the list price, which no bid exceeds. */
async function keepsTier(
  village: TradingVillage,
  auction: AuctionView,
  { agent, amount }: { readonly agent: Funds; readonly amount: bigint },
): Promise<PlannedBid | null> {
  const { auction_id: auctionId, gpu, starts_at, ends_at } = auction;
  const lengthMs = Date.parse(ends_at) - Date.parse(starts_at);
  const answer = await village.quote({ kind: 'gpu', lane: gpu.lane, starts_at, seconds: Math.round(lengthMs / 1_000) });
  if (answer.kind !== 'ok' || answer.value.item === null || answer.value.agent?.after?.tier !== agent.tier) return null;
  return {
    auctionId,
    amount: formatAiDollars(amount),
    lane: gpu.lane,
    hours: String(Math.round((lengthMs * 100) / HOUR_MS) / 100),
    listPrice: answer.value.item.price,
  };
}
