import { parseAiDollars, quotedItem } from '@hamlet/contract';
import { readPurchases } from '@hamlet/store';
import type { Actor } from '../../http/actor.ts';
import { callerOf, inTx, plain, type Handlers } from '../../http/handler.ts';
import { idempotencyKeyOf } from '../../http/idempotent.ts';
import { accepted, refused, type Refused } from '../../http/outcome.ts';
import { buyCompute as buy } from './buy-compute.ts';
import { purchaseView } from './purchase-view.ts';
import { quote, type QuotePorts } from './quote.ts';
import type { TradePorts } from './trade-ports.ts';
import type { AgentLimits } from '../../limits/agent-limits.ts';
import { z } from 'zod';
import { pageCursor } from '../../http/page-cursor.ts';

const pages = pageCursor(z.uuid());

export interface PurchasePorts extends QuotePorts, TradePorts {
  readonly source: QuotePorts['source'];
  readonly limits: Pick<AgentLimits, 'forget'>;
}

/** The agent that a request is for. An agent acts for itself and may leave its name out. Pure. */
function agentMeant(
  actor: Actor,
  named: string | undefined,
): { readonly ok: true; readonly agentId: string | undefined } | Refused {
  if (actor.role !== 'agent') return { ok: true, agentId: named };
  if (named !== undefined && named !== actor.agentId)
    return refused('not_own_agent', `This token is of ${actor.agentId}`);
  return { ok: true, agentId: actor.agentId };
}

export function purchaseHandlers({ db, source, prices, tiers, limits }: PurchasePorts) {
  return {
    getQuote: plain(async ({ actor, query, now }) => {
      const meant = agentMeant(actor, query.agent_id);
      if (!meant.ok) return meant;
      const item = quotedItem(query);
      if (item !== null && !item.success) throw new TypeError('the schema accepted a query without a valid item');
      return quote(
        { agentId: meant.agentId ?? null, item: item?.data ?? null, seconds: query.seconds },
        { db, source, prices },
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
      const asked = {
        ...callerOf(request),
        idempotencyKey,
        agentId: meant.agentId,
        item: body.item,
        seconds: body.seconds,
        maxPrice,
      };
      const bought = await buy(tx, asked, { source, tiers, prices });
      if (bought.ok) limits.forget(meant.agentId);
      return bought;
    }),
    listPurchases: plain(async ({ actor, query }) => {
      const meant = agentMeant(actor, query.agent_id);
      if (!meant.ok) return meant;
      const question = `purchases ${meant.agentId ?? ''} ${query.state ?? ''}`;
      const before = pages.read(query.cursor, question);
      if (before === undefined) return refused('cursor_invalid');
      const { purchases, next } = await readPurchases(
        db,
        { agentId: meant.agentId, state: query.state },
        { before, limit: query.limit },
      );
      return accepted({
        purchases: purchases.map(purchaseView),
        next_cursor: next === null ? null : pages.write(question, next),
      });
    }),
  } satisfies Partial<Handlers>;
}
