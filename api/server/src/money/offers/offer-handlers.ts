import { cutPage, readOffers } from '@hamlet/store';
import { z } from 'zod';
import { inTx, plain, type Handlers } from '../../http/handler.ts';
import { accepted } from '../../http/outcome.ts';
import { pageCursor, paged } from '../../http/page-cursor.ts';
import { lockOwnOffer, offerView, payOffer, returnOffer, seesReason } from './run-offers.ts';
import type { Village } from '../../village.ts';

const pages = pageCursor(z.uuid());

export function offerHandlers(village: Village) {
  return {
    listOffers: plain(async ({ query, actor }) => {
      const { agent_id: agentId, run_id: runId, state } = query;
      return paged(pages, { ...query, list: 'offers' }, async (page) => {
        const read = await readOffers(village.db, { agentId, runId, state }, page);
        const { rows, next } = cutPage(read, page.limit, (offer) => offer.runId);
        return { offers: rows.map((offer) => offerView(offer, seesReason(actor, offer))), next };
      });
    }),
    acceptOffer: inTx(async (request, tx) => {
      const offer = await lockOwnOffer(tx, request.params.run_id, request.actor);
      if (!offer.ok) return offer;
      const paid = await payOffer(tx, offer.data, { act: request, tiers: village.tiers });
      return paid.ok ? accepted({ offer: offerView(paid.data) }) : paid;
    }),
    refuseOffer: inTx(async (request, tx) => {
      const offer = await lockOwnOffer(tx, request.params.run_id, request.actor);
      if (!offer.ok) return offer;
      const end = { state: 'refused', act: request, reason: request.body.reason } as const;
      return accepted({ offer: offerView(await returnOffer(tx, offer.data, end)) });
    }),
  } satisfies Partial<Handlers>;
}
