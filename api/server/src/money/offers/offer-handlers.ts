import { cutPage, readOffers } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import { z } from 'zod';
import { inTx, plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import { pageCursor } from '../../http/page-cursor.ts';
import { lockOwnOffer, offerView, payOffer, returnOffer, seesReason, type OfferPorts } from './run-offers.ts';

const pages = pageCursor(z.uuid());

export function offerHandlers(ports: OfferPorts & { readonly db: Db }) {
  return {
    listOffers: plain(async ({ query, actor }) => {
      const { agent_id: agentId, run_id: runId, state, cursor, limit } = query;
      const filter = JSON.stringify([agentId, runId, state]);
      const before = pages.read(cursor, filter);
      if (before === undefined) return refused('cursor_invalid');
      const rows = await readOffers(ports.db, { agentId, runId, state }, { before, limit });
      const { rows: offers, next } = cutPage(rows, limit, (offer) => offer.runId);
      return accepted({
        offers: offers.map((offer) => offerView(offer, seesReason(actor, offer))),
        next_cursor: next === null ? null : pages.write(filter, next),
      });
    }),
    acceptOffer: inTx(async (request, tx) => {
      const offer = await lockOwnOffer(tx, request.params.run_id, request.actor);
      if (!offer.ok) return offer;
      const paid = await payOffer(tx, offer.data, { act: request, tiers: ports.tiers });
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
