import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { OFFER_REASON_MAX_CHARS, OfferState, RunOffer } from '../../values/run-offer.ts';
import { AgentId, NEXT_CURSOR, paging, plainText } from '../../values/scalars.ts';

export const OFFERS_PAGE_MAX = 100;

const ending = {
  tag: 'runs',
  permission: 'economy:judge',
  answer: json(z.strictObject({ offer: RunOffer })),
  reasons: ['no_such_run', 'no_such_offer', 'offer_not_yours', 'offer_ended', 'run_under_way', 'village_frozen'],
} as const;

export const listOffers = defineRoute('listOffers GET /offers', {
  tag: 'runs',
  summary: 'Offers for runs, newest first; by agent, run and state',
  permission: 'runs:read',
  query: z.strictObject({
    agent_id: AgentId.optional(),
    run_id: z.uuid().optional(),
    state: OfferState.optional(),
    ...paging(OFFERS_PAGE_MAX),
  }),
  answer: json(z.strictObject({ offers: z.array(RunOffer), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});

export const acceptOffer = defineRoute('acceptOffer POST /runs/{run_id}/offer/accept', {
  ...ending,
  summary: 'Accept the result of a run, and pay its agent the offered amount',
  reasons: [...ending.reasons, 'account_closed'],
});

export const refuseOffer = defineRoute('refuseOffer POST /runs/{run_id}/offer/refuse', {
  ...ending,
  summary: 'Refuse the result of a run with a reason; the held money is free again',
  body: z.strictObject({ reason: plainText(OFFER_REASON_MAX_CHARS).trim().min(1) }),
});
