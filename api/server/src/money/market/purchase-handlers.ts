import { parseAiDollars, quotedItem } from '@hamlet/contract';
import { readPurchases } from '@hamlet/store';
import type { Actor } from '../../http/actor.ts';
import { callerOf, inTx, plain, type Handlers } from '../../http/handler.ts';
import { idempotencyKeyOf } from '../../http/idempotent.ts';
import { refused, type Refused } from '../../http/outcome.ts';
import { buyCompute as buy } from './buy-compute.ts';
import { purchaseView } from './purchase-view.ts';
import { quote } from './quote.ts';
import { z } from 'zod';
import { pageCursor, paged } from '../../http/page-cursor.ts';
import type { Village } from '../../village.ts';

const pages = pageCursor(z.uuid());

/** The agent that a request is for. An agent acts for itself and may leave its name out. Pure. */
function agentMeant(
  actor: Actor,
  named: string | undefined,
): { readonly ok: true; readonly agentId: string | undefined } | Refused {
  if (actor.role !== 'agent') return { ok: true, agentId: named };
  if (named !== undefined && named !== actor.agentId)
    return refused('not_own_agent', `This token belongs to ${actor.agentId}: buy for that agent`);
  return { ok: true, agentId: actor.agentId };
}

export function purchaseHandlers({ db, source, prices, gpus, tiers, limits }: Village) {
  return {
    getQuote: plain(async ({ actor, query, now }) => {
      const meant = agentMeant(actor, query.agent_id);
      if (!meant.ok) return meant;
      const item = quotedItem(query);
      if (item !== null && !item.success)
        throw new TypeError('a bug: the schema accepted a query without a valid item');
      return quote(
        { agentId: meant.agentId ?? null, item: item?.data ?? null, seconds: query.seconds },
        { db, source, prices, gpus },
        now,
      );
    }),
    buyCompute: inTx(async (request, tx) => {
      const { actor, body, headers } = request;
      const meant = agentMeant(actor, body.agent_id);
      if (!meant.ok) return meant;
      if (meant.agentId === undefined)
        return refused('no_such_agent', 'Write agent_id: the agent that the purchase is for');
      const maxPrice = body.max_price === undefined ? null : parseAiDollars(body.max_price);
      const idempotencyKey = idempotencyKeyOf(headers['idempotency-key']);
      const { agentId } = meant;
      const asked = {
        ...callerOf(request),
        idempotencyKey,
        agentId,
        item: body.item,
        seconds: body.seconds,
        maxPrice,
      };
      const bought = await buy(tx, asked, { source, tiers, prices, gpus });
      return bought.ok ? { ...bought, afterCommit: () => limits.forget(agentId) } : bought;
    }),
    listPurchases: plain(async ({ actor, query }) => {
      const meant = agentMeant(actor, query.agent_id);
      if (!meant.ok) return meant;
      const filter = { agentId: meant.agentId, state: query.state };
      return paged(pages, { ...query, agent_id: meant.agentId, list: 'purchases' }, async (page) => {
        const { purchases, next } = await readPurchases(db, filter, page);
        return { purchases: purchases.map(purchaseView), next };
      });
    }),
  } satisfies Partial<Handlers>;
}
