import { formatAiDollars, parseAiDollars, type AuctionView } from '@hamlet/contract';
import { auctionFault, laneOf } from '@hamlet/core';
import {
  databaseNow,
  findAuction,
  insertAuction,
  lockAuction,
  readAuctions,
  readBids,
  takeWindow,
} from '@hamlet/store';
import type { Tx } from '@hamlet/store';
import { callerOf, inTx, plain, type Caller, type Handlers } from '../../http/handler.ts';
import { idempotencyKeyOf } from '../../http/idempotent.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { recordAct } from '../../audit/record-act.ts';
import { auctionView, auctionViews, bidView } from './auction-view.ts';
import { cancelAuction } from './end-auction.ts';
import { whyUnbacked } from './gpu-supply.ts';
import { placeBid } from './place-bid.ts';
import { z } from 'zod';
import { pageCursor, paged } from '../../http/page-cursor.ts';
import type { Village } from '../../village.ts';

const pages = pageCursor(z.uuid());

interface OpenAsked extends Caller {
  readonly body: {
    readonly lane: string;
    readonly starts_at: string;
    readonly ends_at: string;
    readonly closes_at: string;
    readonly reserve: string;
    readonly note: string;
  };
}

async function shown(tx: Tx, auctionId: string): Promise<AuctionView> {
  const auction = await findAuction(tx, auctionId);
  if (auction === null) throw new Error(`auction ${auctionId} does not exist any more`);
  return auctionView(auction, undefined);
}

async function open(
  tx: Tx,
  asked: OpenAsked,
  { prices, gpus }: Pick<Village, 'prices' | 'gpus'>,
): Promise<Outcome<AuctionView>> {
  const { lane: name, starts_at, ends_at, closes_at, reserve, note } = asked.body;
  const lane = laneOf(prices, name);
  if (lane === null)
    return refused('not_for_sale', `There is no lane ${name}: see price_list.gpu of GET /economy/quote`);
  const unbacked = await whyUnbacked(lane, { prices, gpus });
  if (unbacked !== null) return refused('not_for_sale', unbacked);
  const [startsAt, endsAt, closesAt] = [new Date(starts_at), new Date(ends_at), new Date(closes_at)];
  const fault = auctionFault(
    { startsMs: startsAt.getTime(), endsMs: endsAt.getTime(), closesMs: closesAt.getTime() },
    (await databaseNow(tx)).getTime(),
  );
  if (fault !== null) return refused('window_out_of_range', fault);
  const windowId = await takeWindow(tx, {
    devices: { lane: lane.lane, resourceName: lane.resource_name, count: lane.count },
    startsAt,
    endsAt,
    agentId: null,
  });
  if (windowId === null)
    return refused('window_taken', `${name} is sold or offered for a part of that time: choose another time`);
  const auctionId = await insertAuction(tx, {
    windowId,
    reserve: parseAiDollars(reserve),
    closesAt,
    note,
    by: { role: asked.actor.role, id: asked.actor.id },
  });
  await recordAct(tx, asked, {
    action: 'auction.open',
    object: auctionId,
    detail: { lane: name, starts_at, ends_at, closes_at, reserve: formatAiDollars(parseAiDollars(reserve)) },
  });
  return accepted(await shown(tx, auctionId));
}

export function auctionHandlers({ db, prices, gpus }: Village) {
  return {
    openAuction: inTx((request, tx) => open(tx, request, { prices, gpus })),
    listAuctions: plain(({ query, actor }) =>
      paged(pages, { ...query, list: 'auctions' }, async (page) => {
        const { auctions, next } = await readAuctions(db, query.state, page);
        return { auctions: [...(await auctionViews(db, auctions, actor))], next };
      }),
    ),
    getAuction: plain(async ({ params: { auction_id: auctionId }, actor }) => {
      const auction = await findAuction(db, auctionId);
      const [view] = auction === null ? [] : await auctionViews(db, [auction], actor);
      if (auction === null || view === undefined) return refused('no_such_auction', `There is no auction ${auctionId}`);
      // Bids stay sealed until the auction has ended.
      const bids = auction.state === 'open' ? [] : await readBids(db, auctionId);
      return accepted({ ...view, bids: bids.map(bidView) });
    }),
    placeBid: inTx(async (request, tx) => {
      const { actor, params, body, headers } = request;
      if (actor.role !== 'agent') return refused('forbidden', 'Only agents may bid');
      const idempotencyKey = idempotencyKeyOf(headers['idempotency-key']);
      return placeBid(tx, {
        ...callerOf(request),
        actor,
        idempotencyKey,
        auctionId: params.auction_id,
        amount: parseAiDollars(body.amount),
      });
    }),
    cancelAuction: inTx(async (request, tx) => {
      const auctionId = request.params.auction_id;
      const auction = await lockAuction(tx, auctionId, 'end');
      if (auction === null) return refused('no_such_auction', `There is no auction ${auctionId}`);
      if (auction.state !== 'open') return refused('auction_closed', `The auction is ${auction.state}`);
      await cancelAuction(tx, auction, { reason: request.body.reason, act: request });
      return accepted(await shown(tx, auctionId));
    }),
  } satisfies Partial<Handlers>;
}
