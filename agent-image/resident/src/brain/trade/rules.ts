import { decision } from '../rules/decision.ts';
import type { Rule } from '../situation.ts';
import { itemInWords } from './wants.ts';

/** Buys what it wants, where a look has shown that it can pay. */
export const buy: Rule = (situation) => {
  const { trade, mind, tick } = situation;
  const offer = trade?.offer ?? null;
  if (offer === null) return null;
  const { want, price } = offer;
  return decision(situation, {
    command: { kind: 'buy', item: want.item, seconds: want.seconds, maxPrice: price },
    goal: mind.goal,
    why: `${want.why}: ${itemInWords(want.item)} costs ${price} aiDollars for an hour, at most one part in ${want.oneIn} of what I can spend`,
    change: { trade: { ...mind.trade, boughtAt: tick } },
  });
};

/** Bids for a GPU window, where a look has shown that it is worth it. */
export const bid: Rule = (situation) => {
  const planned = situation.trade?.bid ?? null;
  if (planned === null) return null;
  const { auctionId, amount, lane, hours, listPrice } = planned;
  return decision(situation, {
    command: { kind: 'bid', auctionId, amount },
    goal: situation.mind.goal,
    why: `${hours} h of the GPUs of ${lane} cost ${listPrice} aiDollars on the price list, and a fifth of my money is for bids`,
  });
};
