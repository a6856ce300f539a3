import { parseAiDollars, quotedItem } from '@hamlet/contract';
import { readPurchases } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import type { Handlers } from '../http/handler.ts';
import { idempotencyKeyOf } from '../http/idempotent.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Refused } from '../http/outcome.ts';
import type { Services } from '../routes/services.ts';
import { buyCompute as buy } from './buy-compute.ts';
import { purchaseView } from './purchase-view.ts';
import { quote } from './quote.ts';
import { readTradeCursor, tradeCursorOf } from './trade-cursor.ts';

type Names = 'getQuote' | 'buyCompute' | 'listPurchases';

/** Whom a request is for: an agent acts for itself and may leave its name out. Pure. */
export function agentMeant(
  actor: Actor,
  named: string | undefined,
): { readonly ok: true; readonly agentId: string | undefined } | Refused {
  if (actor.role !== 'agent') return { ok: true, agentId: named };
  if (named !== undefined && named !== actor.agentId)
    return refused('not_own_agent', `This token is of ${actor.agentId}`);
  return { ok: true, agentId: actor.agentId };
}

function getQuote({ db, source, prices }: Services): Handlers['getQuote'] {
  return {
    kind: 'plain',
    run: async ({ actor, query, now }) => {
      const meant = agentMeant(actor, query.agent_id);
      if (!meant.ok) return meant;
      const item = quotedItem(query);
      if (item !== null && !item.success) throw new TypeError('a query was let in whose item is none');
      return quote(
        { agentId: meant.agentId ?? null, item: item?.data ?? null, seconds: query.seconds },
        { db, source, prices },
        now,
      );
    },
  };
}

function buyCompute({ source, standing, prices, limits }: Services): Handlers['buyCompute'] {
  return {
    kind: 'tx',
    run: async ({ actor, body, headers, requestId, traceparent }, tx) => {
      const meant = agentMeant(actor, body.agent_id);
      if (!meant.ok) return meant;
      if (meant.agentId === undefined) return refused('no_such_agent', 'Write agent_id: whom it is for');
      const maxPrice = body.max_price === undefined ? null : parseAiDollars(body.max_price);
      const idempotencyKey = idempotencyKeyOf(headers['idempotency-key']);
      const asked = {
        actor,
        requestId,
        traceparent,
        idempotencyKey,
        agentId: meant.agentId,
        item: body.item,
        seconds: body.seconds,
        maxPrice,
      };
      const bought = await buy(tx, asked, { source, standing, prices });
      if (bought.ok) limits.forget(meant.agentId);
      return bought;
    },
  };
}

function listPurchases({ db }: Services): Handlers['listPurchases'] {
  return {
    kind: 'plain',
    run: async ({ actor, query }) => {
      const meant = agentMeant(actor, query.agent_id);
      if (!meant.ok) return meant;
      const question = `purchases ${meant.agentId ?? ''} ${query.state ?? ''}`;
      const before = query.cursor === undefined ? null : readTradeCursor(query.cursor, question);
      if (before === undefined) return refused('cursor_invalid');
      const { purchases, next } = await readPurchases(
        db,
        { agentId: meant.agentId, state: query.state },
        { before, limit: query.limit },
      );
      return accepted({
        purchases: purchases.map(purchaseView),
        next_cursor: next === null ? null : tradeCursorOf(question, next),
      });
    },
  };
}

/** Prices, and what agents buy by them. */
export function purchaseHandlers(services: Services): Pick<Handlers, Names> {
  return {
    getQuote: getQuote(services),
    buyCompute: buyCompute(services),
    listPurchases: listPurchases(services),
  };
}
