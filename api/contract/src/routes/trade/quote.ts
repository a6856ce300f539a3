import { z } from 'zod';
import { AiDollars } from '../../money.ts';
import { defineRoute } from '../../route.ts';
import { Limits } from '../agents.ts';
import { AgentId, Time } from '../scalars.ts';
import { Lane, PriceList, PURCHASE_SECONDS_MAX } from './price-list.ts';
import { BoughtItem, PURCHASE_KINDS, PurchaseItem, PurchaseView, QUOTAS } from './purchases.ts';

const HOUR_S = 3_600;

/** A purchase as a query says it; `kind` is left out where only the prices are asked for. */
const QuoteQuery = z
  .strictObject({
    agent_id: AgentId.optional().meta({ description: "Whose money and limits; an agent's own where it is left out" }),
    kind: z.enum(PURCHASE_KINDS).optional(),
    limit: z.enum(QUOTAS).optional(),
    amount: z.coerce.number().int().optional(),
    model: z.string().optional(),
    lane: Lane.optional(),
    starts_at: Time.optional(),
    seconds: z.coerce.number().int().min(1).max(PURCHASE_SECONDS_MAX).default(HOUR_S),
  })
  .superRefine((query, context) => {
    const item = quotedItem(query);
    if (item === null || item.success) return;
    for (const { path, message } of item.error.issues) context.addIssue({ code: 'custom', path, message });
  });
export type QuoteQuery = z.infer<typeof QuoteQuery>;

/** What a query asks the price of, as it would be bought; null where it asks for none. */
export function quotedItem({
  agent_id: _agent,
  seconds: _seconds,
  ...item
}: Omit<QuoteQuery, 'seconds'> & { readonly seconds?: number }): z.ZodSafeParseResult<PurchaseItem> | null {
  return item.kind === undefined ? null : PurchaseItem.safeParse(item);
}

/** One thing that a tier gives otherwise than another. */
export const TIER_ASPECTS = [
  'requests_per_minute',
  'concurrent_tools',
  'tokens_per_hour',
  'models',
  'cpu',
  'memory',
  'gpu',
  'priority_class',
  'price_per_hour',
  'price_per_thousand_tokens',
] as const;
export const TierChange = z.strictObject({ what: z.enum(TIER_ASPECTS), from: z.string(), to: z.string() });
export type TierChange = z.infer<typeof TierChange>;

/** What the next aiDollars unlock. */
export const NextTier = z.strictObject({
  tier: z.string(),
  min_balance: AiDollars,
  missing: AiDollars.meta({ description: 'How much more balance opens it' }),
  changes: z.array(TierChange),
});
export type NextTier = z.infer<typeof NextTier>;

const AfterPurchase = z.strictObject({
  affordable: z.boolean(),
  missing: AiDollars.meta({ description: 'How much more would have to be available; 0 where it can be bought' }),
  balance: AiDollars,
  available: AiDollars,
  tier: z.string().nullable().meta({ description: 'The tier that is left: spending can lose one' }),
  limits: Limits.nullable().meta({ description: 'The limits while what was bought lasts' }),
});

export const QuoteAnswer = z.strictObject({
  as_of: Time,
  price_list: PriceList,
  item: z
    .strictObject({
      item: BoughtItem,
      seconds: z.int(),
      starts_at: Time,
      ends_at: Time,
      price: AiDollars,
      free: z.boolean().meta({ description: 'Of a GPU window: whether nobody has it' }),
    })
    .nullable(),
  agent: z
    .strictObject({
      agent_id: AgentId,
      balance: AiDollars,
      held: AiDollars,
      available: AiDollars,
      tier: z.string().nullable(),
      policy: z.enum(['ByBalance', 'Pinned']),
      limits: Limits.nullable().meta({ description: 'Of the tier and of what was bought, now' }),
      purchases: z.array(PurchaseView).meta({ description: 'What lasts now' }),
      after: AfterPurchase.nullable(),
      next: NextTier.nullable().meta({ description: 'Null at the highest tier, and where the tier is pinned' }),
    })
    .nullable(),
});
export type QuoteAnswer = z.infer<typeof QuoteAnswer>;

export const getQuote = defineRoute({
  name: 'getQuote',
  summary: 'What compute costs, what an agent would have after buying it, and what its next aiDollars unlock',
  tag: 'economy',
  method: 'GET',
  path: '/economy/quote',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'trade:read',
  idempotency: 'read',
  query: QuoteQuery,
  answer: { kind: 'json', schema: QuoteAnswer },
  reasons: ['not_own_agent', 'no_such_agent', 'not_for_sale', 'window_out_of_range'],
});
